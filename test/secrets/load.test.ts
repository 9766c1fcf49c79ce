import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadKeyring } from '../../src/secrets/key-file.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galley-secrets-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const embedded = () => loadKeyring({ secretKeys: undefined, dataDir })

test('the first start makes a key that only its owner may read', async () => {
  await embedded()
  const { mode } = await stat(join(dataDir, 'secret-keys'))
  expect(mode & 0o777).toBe(0o600)
  expect(await readdir(dataDir)).toEqual(['secret-keys'])
})

test('the next start reads what the one before encrypted', async () => {
  const stored = (await embedded()).encrypt('secret', 'row')
  expect((await embedded()).decrypt(stored, 'row')).toBe('secret')
})

test('several that begin at once agree on one key', async () => {
  const rings = await Promise.all(Array.from({ length: 10 }, embedded))
  const stored = rings.map((ring) => ring.encrypt('secret', 'row'))
  for (const ring of rings)
    expect(stored.map((text) => ring.decrypt(text, 'row'))).toEqual(Array(10).fill('secret'))
})

test('given keys are used, and nothing is written', async () => {
  const secretKeys = `given:${Buffer.alloc(32, 7).toString('base64')}`
  const ring = await loadKeyring({ secretKeys, dataDir })
  expect(ring.encrypt('secret', 'row')).toMatch(/^v1\.given\./)
  expect(await readdir(dataDir)).toEqual([])
})

test('the kept file has the form of GALLEY_SECRET_KEYS, so that it can move there', async () => {
  const stored = (await embedded()).encrypt('secret', 'row')
  const secretKeys = await readFile(join(dataDir, 'secret-keys'), 'utf8')
  const ring = await loadKeyring({ secretKeys, dataDir })
  expect(ring.decrypt(stored, 'row')).toBe('secret')
})
