/**
 * A Galley for tests to kill: the process of src/main.ts, but with the timing that its argument gives as JSON, so that
 * a takeover takes seconds. Says on standard output, in lines of JSON, where it serves.
 */

import { startGalley } from '../../../src/app/galley.ts'
import { loadConfig } from '../../../src/config/config.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { createLog } from '../../../src/log/log.ts'

const timing = JSON.parse(process.argv[2] ?? '') as Timing
const config = loadConfig(process.env)
const log = createLog(config)
const asked = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
process.stdin.resume().once('close', () => process.exit(1))

async function run(): Promise<void> {
  const galley = await startGalley(
    config,
    log,
    (error) => {
      log.fatal({ err: error }, error.message)
      process.exit(1)
    },
    timing,
  )
  process.stdout.write(`${JSON.stringify({ ready: true, url: galley.url ?? null })}\n`)
  await asked
  await galley.stop()
  process.exit()
}

void run()
