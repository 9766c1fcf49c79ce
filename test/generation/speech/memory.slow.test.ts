import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleProgram } from '../../faults/stage/child.ts'

// A process of its own that has the longest text spoken that there may be, and how far it grows over it.

const MIB = 1024 * 1024

let folder: string
let program: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-speech-'))
  program = await bundleProgram('test/generation/speech/long-text.ts')
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

test.each([
  // two hours of speech
  ['wav', '1'],
  // of which an encoder is given a part, at the same pace: its own memory does not depend on how much that is
  ['mp3', '0.02'],
  ['opus', '0.02'],
])('100,000 characters become %s in less than 150 MB', { timeout: 300_000 }, async (format, part) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, folder, format, part])
  const { duration, grewBy } = JSON.parse(stdout)
  expect(duration).toMatch(format === 'wav' ? /^111 min/ : /^2 min/)
  expect(grewBy).toBeLessThan(150 * MIB)
})
