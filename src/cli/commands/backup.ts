import type { Command } from 'commander'
import { backup as backUp } from '../../operations/backup/backup.ts'
import { counted } from '../../text.ts'
import { examples } from '../help.ts'
import { installation, progress, silent } from '../installation.ts'
import { jsonText } from '../output/neutral.ts'
import type { World } from '../world.ts'

/** `galley backup DIR`: the database, the files and the secret keys, while Galley runs. */
export function backup(command: Command, world: World): void {
  command
    .argument('<folder>', 'it is created; if it exists, it must be empty')
    .option('--without-keys', 'leave the secret keys out: without them nobody can read the stored passwords')
    .addHelpText(
      'after',
      examples('galley backup /backups/galley', 'galley backup /backups/other --without-keys'),
    )
    .action(async (target: string) => {
      const { json, withoutKeys } = command.optsWithGlobals() as { json?: boolean; withoutKeys?: boolean }
      const made = await backUp({
        ...installation(world),
        target,
        withKeys: withoutKeys !== true,
        log: silent(),
        onProgress: (what, done) => progress(world, `${done} ${what} …`),
      })
      if (json) return world.write(`${jsonText({ success: true, data: made }, 2)}\n`)
      const { folder, rows, files, bytes, hasKeys } = made
      await world.write(
        `${folder}: ${counted(rows, 'row')}, ${counted(files, 'file')}, ${Math.ceil(bytes / 1024)} KB.\n`,
      )
      world.note(
        hasKeys
          ? 'It holds the secret keys: whoever has it can open every site. Keep it as you would keep those passwords.'
          : 'It holds no secret keys: keep those elsewhere, or the stored passwords are lost with this machine.',
      )
    })
}
