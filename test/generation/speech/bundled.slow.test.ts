import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bundleGalley } from '../../../scripts/bundle-galley.ts'

const run = promisify(execFile)
const packages = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

test('the threads are found in the bundle, with all that they need, and eSpeak NG where it is installed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'galley-bundled-'))
  try {
    const program = await bundleGalley('test/generation/speech/program.ts', folder)
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['encode-speech.cjs', 'espeak.cjs']))
    // None of Galley's packages is here: whatever the threads need, they have.
    const alone = await run(process.execPath, [program], { cwd: folder })
    expect(JSON.parse(alone.stdout)).toEqual({
      mp3: { length: expect.any(Number), seconds: expect.closeTo(1.05, 1) },
      opus: { length: expect.any(Number), seconds: 1 },
      wav: { length: 48_044, seconds: 1 },
      espeak: null,
    })
    await mkdir(join(folder, 'node_modules'))
    await symlink(join(packages, '@echogarden'), join(folder, 'node_modules/@echogarden'))
    const together = await run(process.execPath, [program], { cwd: folder })
    expect(JSON.parse(together.stdout).espeak).toBeGreaterThan(10_000)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
