import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claim } from './claim.ts'

it('gives each process one of its own, the same every time, and none to one too many', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'galley-claim-'))
  try {
    const claims = [11, 22, 11, 33, 22].map((owner) => claim(['first', 'second'], folder, owner))
    expect(claims).toEqual(['first', 'second', 'first', undefined, 'second'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
