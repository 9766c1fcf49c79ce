import type { Command } from 'commander'
import { withDatabase } from '../../database/index.ts'
import { listKeys } from '../../operations/secrets/list.ts'
import { dropKey, rotateSecrets } from '../../operations/secrets/rotate.ts'
import { counted } from '../../text.ts'
import { examples } from '../help.ts'
import { installation, progress, silent } from '../installation.ts'
import { jsonText } from '../output/neutral.ts'
import type { World } from '../world.ts'

/** `galley secrets …`: the keys that stored passwords are encrypted with. Works on the database itself. */
export function secrets(command: Command, world: World): void {
  const asJson = (): boolean => (command.optsWithGlobals() as { json?: boolean }).json === true
  const answer = (data: unknown, text: string) =>
    world.write(asJson() ? `${jsonText({ success: true, data }, 2)}\n` : `${text}\n`)

  command
    .command('rotate')
    .description(
      'Adds a new key and encrypts everything with it while Galley runs. If that was interrupted before, it continues.',
    )
    .addHelpText('after', examples('galley secrets rotate'))
    .action(async () => {
      const config = installation(world)
      await withDatabase(config, silent(), async ({ pool }) => {
        const done = await rotateSecrets(pool, config, (secrets) =>
          progress(world, `${counted(secrets, 'secret')} re-encrypted …`),
        )
        const sentences = [
          `${counted(done.secrets, 'secret')} re-encrypted. The key is "${done.newest}" now.`,
          ...done.unreadable.map(
            (place) => `Cannot be read by any key, and was left as it is: the ${place}.`,
          ),
          ...done.idle.map(
            (id) => `Nothing needs the key "${id}" any more. ${advice(config.secretKeys, id)}`,
          ),
        ]
        await answer(done, sentences.join('\n'))
      })
    })
  command
    .command('drop')
    .description('Removes an old key for good; refused while there is anything that only this key can read.')
    .argument('<id>', 'of the key, as galley secrets list shows it')
    .addHelpText('after', examples('galley secrets drop 2025-11-22'))
    .action(async (id: string) => {
      const config = installation(world)
      await withDatabase(config, silent(), async ({ pool }) => {
        const dropped = await dropKey(pool, config, id)
        const text = dropped
          ? `The key "${id}" is removed. Backups from before still need it.`
          : `Nothing needs the key "${id}": take it out of GALLEY_SECRET_KEYS of every process. Backups from before still need it.`
        await answer({ id, dropped }, text)
      })
    })
  command
    .command('list')
    .description('Shows the keys and how many secrets need each; never a key itself.')
    .addHelpText('after', examples('galley secrets list'))
    .action(async () => {
      const config = installation(world)
      await withDatabase(config, silent(), async ({ pool }) => {
        const keys = await listKeys(pool, config)
        const lines = keys.map(
          ({ id, newest, here, secrets }) =>
            `${id}  ${counted(secrets, 'secret')}${newest ? ', encrypts what is new' : ''}${here ? '' : ', MISSING'}`,
        )
        await answer(keys, lines.join('\n'))
      })
    })
}

const advice = (secretKeys: string | undefined, id: string): string =>
  secretKeys === undefined
    ? `Remove it with: galley secrets drop ${id}`
    : 'Take it out of GALLEY_SECRET_KEYS of every process.'
