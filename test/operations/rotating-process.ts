/**
 * A process that rotates the secret keys and stands still after its first batch, for tests to kill.
 * Arguments: the database, the data folder.
 */
import { openDatabase } from '../../src/database/client.ts'
import { createLog } from '../../src/log/log.ts'
import { rotateSecrets } from '../../src/operations/rotate-secrets.ts'

const [connectionString = '', dataDir = ''] = process.argv.slice(2)
const log = createLog({ logLevel: 'silent' })
const { pool } = openDatabase({ connectionString, poolSize: 2, log })
await rotateSecrets(pool, { secretKeys: undefined, dataDir }, async (secrets) => {
  process.stdout.write(`${secrets}\n`)
  await new Promise((resolve) => setTimeout(resolve, 600_000))
})
