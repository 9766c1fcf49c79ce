import type { Command } from 'commander'
import { restore as putBack } from '../../operations/backup/restore.ts'
import { counted } from '../../text.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import { examples } from '../help.ts'
import { installation, silent } from '../installation.ts'
import { jsonText } from '../output/neutral.ts'
import type { World } from '../world.ts'

/** `galley restore DIR`: what a backup holds, into an installation that holds nothing. */
export function restore(command: Command, world: World): void {
  command
    .argument('<folder>', 'that galley backup made')
    .addHelpText('after', examples('GALLEY_DATA_DIR=/var/lib/restored galley restore /backups/galley'))
    .action(async (source: string) => {
      const restored = await putBack({ ...installation(world), source, log: silent() })
      const { manifest, rows, files, missingKeys } = restored
      const { json } = command.optsWithGlobals() as { json?: boolean }
      const data = { rows, files, at: manifest.at, version: manifest.version, missing_keys: missingKeys }
      await world.write(
        json
          ? `${jsonText({ success: true, data }, 2)}\n`
          : `Restored as it was at ${manifest.at}: ${counted(rows, 'row')}, ${counted(files, 'file')}.\n`,
      )
      if (missingKeys.length === 0) return
      throw new CommandFailure(
        exitCodes.notAsAsked,
        'secret_key_missing',
        `Stored passwords need secret keys that are not here: ${missingKeys.join(', ')}. Put them into GALLEY_SECRET_KEYS, or the file secret-keys of the data folder, before you start Galley.`,
      )
    })
}
