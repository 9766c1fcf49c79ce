import type { Pool } from 'pg'
import { type Config, loadConfig } from '../../config/config.ts'
import { withDatabase } from '../../database/with-database.ts'
import { pluralize } from '../../lib/text.ts'
import { createLog } from '../../log/log.ts'
import { createBackup as backUp } from '../../operations/backup/backup.ts'
import { restore as putBack } from '../../operations/backup/restore.ts'
import { checkInstallation } from '../../operations/doctor.ts'
import { dropSecretKey, rotateSecrets } from '../../operations/rotate-secrets.ts'
import { listSecretKeys } from '../../operations/sealed-columns.ts'
import { notAsAsked, usageError } from '../failure.ts'
import type { CliCommand } from '../options.ts'
import { escapeControls, jsonText } from '../output.ts'
import type { CliWorld } from '../world.ts'

/** For a person, whose output is the answer and what goes wrong. */
const silentLog = () => createLog({ logLevel: 'silent' })

/** A line while somebody watches. @throws AbortError after Ctrl-C */
function reportProgress(world: CliWorld, text: string): void {
  world.stop.throwIfAborted()
  if (world.watched) world.note(text)
}

const printResult = (world: CliWorld, command: CliCommand, data: unknown, text: string): Promise<void> =>
  world.write(
    command.optsWithGlobals<{ json?: boolean }>().json
      ? `${jsonText({ success: true, data }, 2)}\n`
      : `${escapeControls(text)}\n`,
  )

export function backup(command: CliCommand, world: CliWorld): void {
  command
    .argument('<folder>', 'it is created; if it exists, it must be empty')
    .option('--without-keys', 'leave the secret keys out: without them nobody can read the stored passwords')
    .examples('galley backup /backups/galley', 'galley backup /backups/other --without-keys')
    .action(async (target: string) => {
      const { json, withoutKeys } = command.optsWithGlobals<{ json?: boolean; withoutKeys?: boolean }>()
      const made = await backUp({
        ...loadConfig(world.env),
        target,
        withKeys: withoutKeys !== true,
        log: silentLog(),
        onProgress: (what, done) => reportProgress(world, `${done} ${what} …`),
      })
      const { folder, rows, files, bytes, hasKeys } = made
      const size = `${pluralize(rows, 'row')}, ${pluralize(files, 'file')}, ${Math.ceil(bytes / 1024)} KB.`
      await printResult(world, command, made, `${folder}: ${size}`)
      if (json) return
      world.note(
        hasKeys
          ? 'It holds the secret keys: whoever has it can open every site. Keep it as you would keep those passwords.'
          : 'It holds no secret keys: keep those elsewhere, or the stored passwords are lost with this machine.',
      )
    })
}

export function restore(command: CliCommand, world: CliWorld): void {
  command
    .argument('<folder>', 'that galley backup made')
    .examples('GALLEY_DATA_DIR=/var/lib/restored galley restore /backups/galley')
    .action(async (source: string) => {
      const restored = await putBack({ ...loadConfig(world.env), source, log: silentLog() })
      const { manifest, rows, files, missingKeys } = restored
      const data = { rows, files, at: manifest.at, version: manifest.version, missing_keys: missingKeys }
      const text = `Restored as it was at ${manifest.at}: ${pluralize(rows, 'row')}, ${pluralize(files, 'file')}.`
      await printResult(world, command, data, text)
      if (missingKeys.length === 0) return
      throw notAsAsked(
        'secret_key_missing',
        `Stored passwords need secret keys that are not here: ${missingKeys.join(', ')}. Put them into GALLEY_SECRET_KEYS, or the file secret-keys of the data folder, before you start Galley.`,
      )
    })
}

export function doctor(command: CliCommand, world: CliWorld): void {
  command.examples('galley doctor', 'galley doctor --json').action(async () => {
    const findings = await checkInstallation(loadConfig(world.env), silentLog())
    const lines = findings.map(({ check, level, message }) => `${level.padEnd(7)}  ${check}: ${message}`)
    await printResult(world, command, findings, lines.join('\n'))
    const problems = findings.filter(({ level }) => level === 'problem').length
    if (problems > 0)
      throw notAsAsked(
        'installation_unsound',
        'This installation does not work as it is: see the problems above.',
      )
  })
}

export function secrets(command: CliCommand, world: CliWorld): void {
  command
    .command('rotate')
    .description(
      'Adds a new key and encrypts everything with it while Galley runs. If that was interrupted before, it continues.',
    )
    .examples('galley secrets rotate')
    .action(() =>
      withInstallation(world, async (config, pool) => {
        const done = await rotateSecrets(pool, config, (secrets) =>
          reportProgress(world, `${pluralize(secrets, 'secret')} re-encrypted …`),
        )
        const sentences = [
          `${pluralize(done.secrets, 'secret')} re-encrypted. The key is "${done.newest}" now.`,
          ...done.unreadable.map(
            (place) => `Cannot be read by any key, and was left as it is: the ${place}.`,
          ),
          ...done.idle.map(
            (id) => `Nothing needs the key "${id}" any more. ${rotationAdvice(config.secretKeys, id)}`,
          ),
        ]
        await printResult(world, command, done, sentences.join('\n'))
      }),
    )
  command
    .command('drop')
    .description('Removes an old key for good; refused while there is anything that only this key can read.')
    .argument('<id>', 'of the key, as galley secrets list shows it')
    .examples('galley secrets drop 2025-11-22')
    .action((id: string) =>
      withInstallation(world, async (config, pool) => {
        const dropped = await dropSecretKey(pool, config, id)
        const text = dropped
          ? `The key "${id}" is removed. Backups from before still need it.`
          : `Nothing needs the key "${id}": take it out of GALLEY_SECRET_KEYS of every process. Backups from before still need it.`
        await printResult(world, command, { id, dropped }, text)
      }),
    )
  command
    .command('list')
    .description('Shows the keys and how many secrets need each; never a key itself.')
    .examples('galley secrets list')
    .action(() =>
      withInstallation(world, async (config, pool) => {
        const keys = await listSecretKeys(pool, config)
        const lines = keys.map(
          ({ id, newest, here, secrets }) =>
            `${id}  ${pluralize(secrets, 'secret')}${newest ? ', encrypts what is new' : ''}${here ? '' : ', MISSING'}`,
        )
        await printResult(world, command, keys, lines.join('\n'))
      }),
    )
}

const withInstallation = (world: CliWorld, work: (config: Config, pool: Pool) => Promise<void>) => {
  const config = loadConfig(world.env)
  return withDatabase(config, silentLog(), ({ pool }) => work(config, pool))
}

const rotationAdvice = (secretKeys: string | undefined, id: string): string =>
  secretKeys === undefined
    ? `Remove it with: galley secrets drop ${id}`
    : 'Take it out of GALLEY_SECRET_KEYS of every process.'

/** `galley serve`: only its help and wrong options come here; the service itself starts without the other commands. */
export function serve(command: CliCommand): void {
  command.examples('galley serve').action(() => {
    throw usageError(
      'unknown_option',
      'galley serve takes no options: settings are environment variables, or lines of a file .env (.env.example describes each).',
    )
  })
}
