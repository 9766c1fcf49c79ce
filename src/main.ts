import { existsSync } from 'node:fs'
import { loadConfig } from './config.ts'
import { GalleyError } from './errors.ts'
import { type Galley, startGalley } from './galley.ts'
import { createLog, type Logger } from './log.ts'

// The process: settings in, signals out. What it is made of is in galley.ts.

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = loadConfig(process.env)
  const log = createLog(config)
  // Heard from the first moment on: a signal during the start stops as soon as there is something to stop.
  const asked = signalled(log)
  const galley = await startGalley(config, log, (error) => {
    log.fatal({ err: error }, error.message)
    process.exit(1)
  })
  announce(galley)
  await asked
  await galley.stop()
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

function announce({ url, metricsUrl, newKey }: Galley): void {
  if (url !== undefined) console.log(`Galley serves at ${url}`)
  if (metricsUrl !== undefined) console.log(`Health and metrics are at ${metricsUrl}`)
  if (newKey !== undefined) console.log(`Your first API key, shown this once: ${newKey}`)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof GalleyError ? error.message : error)
    process.exit(1)
  },
)
