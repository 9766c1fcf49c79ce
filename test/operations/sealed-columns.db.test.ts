import { readFile } from 'node:fs/promises'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { countByKey, sealedColumns, storedSecrets } from '../../src/operations/sealed-columns.ts'
import { generateSecretKey, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { storeSecrets } from './stored.ts'

/** What sounds like a secret and is none. */
const HARMLESS = new Set([
  'generation_job.idempotency_key',
  'idempotency_key.key',
  'generation_call.key',
  'stored_file.token',
  'stored_file.key',
])

/** Of hashes, ids and times nothing can be read. */
const SECRET = /(?:secret|password|token|key)(?:_(?!hash|id|uuid|until|at)\w+)?$/

interface Column {
  name: string
  comment: string
}

/** The columns of the schema, each with what is said of it. */
async function columns(): Promise<Column[]> {
  const found: Column[] = []
  for (const [, body = ''] of (await readFile('prisma/schema.prisma', 'utf8')).matchAll(
    /^model \w+ \{(.*?)^\}/gms,
  )) {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1]
    let comment = ''
    for (const line of body.split('\n').map((text) => text.trim())) {
      const field = /^(\w+)\s+(?:String|Bytes)\b/.exec(line)?.[1]
      if (line.startsWith('///')) comment += line
      else {
        if (field) found.push({ name: `${table}.${/@map\("(\w+)"\)/.exec(line)?.[1] ?? field}`, comment })
        comment = ''
      }
    }
  }
  return found
}

const isSecret = ({ name, comment }: Column): boolean =>
  /AES-256|encrypted/.test(comment) || SECRET.test(name.split('.')[1] ?? '')

test('every column that the schema calls encrypted, or that sounds like a secret, is rotated', async () => {
  const secret = (await columns()).filter(isSecret).map(({ name }) => name)
  const expected = secret.filter((name) => !HARMLESS.has(name)).sort()
  expect(expected.length).toBeGreaterThan(4)
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(expected)
})

test('the answers of a day, of which there may be millions, are tried by a rotation and by no start', async () => {
  const database = await freshDatabase()
  const pool = new Pool({ connectionString: database.connectionString, max: 1 })
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  const keyring = openKeyring(parseSecretKeys(generateSecretKey(), 'this test'))
  await storeSecrets(pool, keyring, 1)
  const tried = await storedSecrets(pool, keyring)
  // One of each account.
  expect((await countByKey(pool)).get(keyring.newestId)).toBe(tried.length + 2)
  expect(tried.length).toBeGreaterThan(8)
})
