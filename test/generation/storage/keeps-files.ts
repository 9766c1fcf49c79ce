/**
 * A process that keeps one file after the other, for a test to kill. Says the token of each that is kept.
 * Arguments: connection string, data folder, account.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { createStorage } from '../../../src/generation/storage/storage.ts'

const [connectionString = '', dataDir = '', accountId = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString })
const storage = createStorage({ pool, dataDir, publicUrl: () => 'http://127.0.0.1', days: 30 })

/** Each piece is on disk before the next one is there, so that a kill finds files of every length. */
async function* slowly() {
  for (let piece = 0; piece < 4; piece += 1) {
    yield randomBytes(30_000)
    await wait(2)
  }
}

for (;;) {
  const { token } = await storage.keep({
    accountId,
    type: 'image/png',
    extension: 'png',
    body: slowly(),
    served: true,
  })
  process.stdout.write(`${token}\n`)
}
