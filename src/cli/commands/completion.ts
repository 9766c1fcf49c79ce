import type { Command } from 'commander'
import { type Shell, scripts, wordsOf } from '../completion.ts'
import { examples } from '../help.ts'
import { loaded } from '../loading.ts'
import type { World } from '../world.ts'

/** `galley completion SHELL`: what makes a shell complete commands and options. */
export function completion(command: Command, world: World): void {
  command
    .argument('<shell>', Object.keys(scripts).join(', '))
    .addHelpText(
      'after',
      examples('galley completion bash', 'galley completion zsh', 'galley completion fish'),
    )
    .action(async (shell: string) => {
      const program = command.parent as Command
      for (const child of program.commands) await loaded(child)
      const script = scripts[shell as Shell]
      if (script === undefined)
        command.error(
          `error: ${shell} is not a shell that Galley supports; there are ${Object.keys(scripts).join(', ')}`,
        )
      await world.write(script(wordsOf(program)))
    })
}
