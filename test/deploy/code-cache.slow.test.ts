import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordCode } from '../../scripts/record-code.ts'
import { VERSION } from '../../src/lib/version.ts'
import { bundleProgram, type GalleyProgram } from '../faults/stage/child.ts'

let program: GalleyProgram
let cache: string
beforeAll(async () => {
  program = await bundleProgram('src/main.ts')
  cache = program.file.replace(/\.js$/, '.cache')
})
afterAll(() => program.remove())

/** Asks the bundle for its version, and V8 whether it refused the code cache: undefined where there is none. */
function run(): { said: string; refused: boolean | undefined } {
  const code = `
    process.argv = [process.argv[0], 'galley', '--version']
    const { script } = await import(${JSON.stringify(pathToFileURL(program.file).href)})
    process.once('exit', () => console.error(JSON.stringify({ refused: script.cachedDataRejected })))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
  })
  return { said: stdout.trim(), refused: JSON.parse(stderr).refused }
}

test('a bundle runs without a code cache, with its own, and with one that V8 cannot use', async () => {
  expect(run()).toEqual({ said: VERSION, refused: undefined })

  recordCode(program.file)
  expect(run()).toEqual({ said: VERSION, refused: false })

  const recorded = await readFile(cache)
  // Where V8 keeps the number of its version.
  recorded.writeUInt32LE((recorded.readUInt32LE(4) ^ 1) >>> 0, 4)
  await writeFile(cache, recorded)
  expect(run()).toEqual({ said: VERSION, refused: true })

  await writeFile(cache, '')
  expect(run()).toEqual({ said: VERSION, refused: true })
})
