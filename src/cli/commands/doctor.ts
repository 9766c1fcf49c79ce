import type { Command } from 'commander'
import { checkInstallation } from '../../operations/doctor/doctor.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'
import { installation, silent } from '../installation.ts'
import { jsonText, neutral } from '../output/neutral.ts'
import type { World } from '../world.ts'

/** `galley doctor`: this installation, seen from within. */
export function doctor(command: Command, world: World): void {
  command.addHelpText('after', examples('galley doctor', 'galley doctor --json')).action(async () => {
    const findings = await checkInstallation(installation(world), silent())
    const { json } = command.optsWithGlobals() as { json?: boolean }
    const lines = findings.map(({ check, level, message }) => `${level.padEnd(7)}  ${check}: ${message}`)
    await world.write(
      json ? `${jsonText({ success: true, data: findings }, 2)}\n` : `${neutral(lines.join('\n'))}\n`,
    )
    const problems = findings.filter(({ level }) => level === 'problem').length
    if (problems > 0)
      throw new CommandFailure(
        exitCodes.notAsAsked,
        'installation_unsound',
        'This installation does not work as it is: see the problems above.',
      )
  })
}
