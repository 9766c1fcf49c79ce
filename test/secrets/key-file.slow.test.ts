import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { generateSecretKey } from '../../src/secrets/keyring.ts'

const code = `import(${JSON.stringify(new URL('../../src/secrets/key-file.ts', import.meta.url).href)})
  .then(({ addKeyToFile }) => addKeyToFile(process.argv[1]))`

test('a disk that takes no new keys keeps the old ones, and no copy of them is left beside', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'galley-keys-'))
  const keys = `${generateSecretKey()}\n`
  await writeFile(join(folder, 'secret-keys'), keys)
  // No file of this process may have a byte.
  const typed = `ulimit -f 0 && exec "$0" --import tsx -e "$1" "$2"`
  const run = promisify(execFile)('sh', ['-c', typed, process.execPath, code, join(folder, 'secret-keys')])
  await expect(run).rejects.toThrow('EFBIG')
  expect(await readdir(folder)).toEqual(['secret-keys'])
  expect(await readFile(join(folder, 'secret-keys'), 'utf8')).toBe(keys)
  await rm(folder, { recursive: true })
})
