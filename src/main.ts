import { existsSync } from 'node:fs'
import { type CreditsRequested, parseCommandLine, usage } from './app/command-line.ts'
import type { Galley } from './app/galley.ts'
import { exitCodes } from './cli/failure.ts'
import { type Config, loadConfig } from './config/config.ts'
import { unknownSettings } from './config/settings.ts'
import { GalleyError } from './errors.ts'
import { VERSION } from './lib/version.ts'
import { createLog, createServiceDestination, type Logger, printLine } from './log/log.ts'

// The process: its command line and settings in, signals out. What it is made of is in app/galley.ts.

async function main(): Promise<number> {
  const command = parseCommandLine(process.argv.slice(2))
  if (command === 'help') await printLine(usage)
  else if (command === 'version') await printLine(VERSION)
  else {
    readEnvFile()
    if (command === 'program') return runProgram()
    const config = loadConfig(process.env)
    await (command === 'start'
      ? serve(config)
      : command === 'new-key'
        ? makeKey(config)
        : giveCredits(config, command.credits))
  }
  return exitCodes.done
}

/** One of the commands of `galley`; what they are made of is loaded only here. */
async function runProgram(): Promise<number> {
  const program = await import('./cli/program.ts')
  // What another Galley, and `ps`, call this process.
  const words = process.argv.slice(2).filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'))
  process.title = ['galley', ...words.slice(0, 2)].join(' ')
  const { processWorld } = await import('./cli/world.ts')
  return program.runProgram(process.argv.slice(2), processWorld())
}

/** The environment wins over the file. */
function readEnvFile(): void {
  if (!existsSync('.env')) return
  try {
    process.loadEnvFile('.env')
  } catch (cause) {
    throw new GalleyError({
      code: 'bad_settings',
      action: 'owner',
      message: `Galley cannot read its settings from .env in ${process.cwd()}: ${(cause as Error).message}`,
      cause,
    })
  }
}

async function serve(config: Config): Promise<void> {
  const log = createLog(config, await createServiceDestination(config))
  for (const name of unknownSettings(process.env))
    log.warn(
      `${name} is not a setting of Galley ${VERSION}, and changes nothing; .env.example describes those it has`,
    )
  // Heard from the first moment on: a signal during the start stops as soon as there is something to stop.
  const asked = signalled(log)
  // Loaded only now: a wrong option or setting is answered at once.
  const { startGalley } = await import('./app/galley.ts')
  const galley = await startGalley(config, log, (error) => {
    log.fatal({ err: error }, error.message)
    process.exit(1)
  })
  announce(galley)
  await asked
  await galley.stop()
}

function announce({ url, metricsUrl }: Galley): void {
  if (url !== undefined) console.log(`Galley serves at ${url}`)
  if (metricsUrl !== undefined) console.log(`Health and metrics are at ${metricsUrl}`)
}

/** For a person who is locked out: their output is the key, and what goes wrong. */
async function makeKey(config: Config): Promise<void> {
  const { withDatabase } = await import('./database/with-database.ts')
  const { createRecoveryKey } = await import('./accounts/operator-keys.ts')
  const log = createLog({ logLevel: 'silent' })
  await withDatabase(config, log, async ({ pool }) => {
    await printLine(`A new API key, shown only once: ${await createRecoveryKey(pool)}`)
  })
}

/** For whoever runs a Galley: what its first account may have made. */
async function giveCredits(config: Config, requested: CreditsRequested): Promise<void> {
  const { withDatabase } = await import('./database/with-database.ts')
  const { setFirstAccountCredits } = await import('./accounts/accounts.ts')
  await withDatabase(config, createLog({ logLevel: 'silent' }), async (database) => {
    const { credits, unlimited } = await setFirstAccountCredits(database, requested)
    await printLine(
      unlimited
        ? 'The first account has no limit: its jobs cost it nothing, and are still counted.'
        : `The first account has ${credits} credits. A job that they do not pay is refused.`,
    )
  })
}

/** Resolves at the first SIGTERM or SIGINT. Later ones change nothing: finishing what is under way is bounded. */
const signalled = (log: Logger): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        log.info({ signal }, 'stopping: what is under way is finished first')
        resolve()
      })
  })

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof GalleyError ? error.message : error)
    process.exit(error instanceof GalleyError && error.code === 'unknown_option' ? exitCodes.usage : 1)
  },
)
