import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../faults/stage/child.ts'

test('bundled as Galley is, pages are read, cards set and speech made: threads, fonts and packages are found', async () => {
  const program = await bundleProgram('test/generation/bundled/program.ts')
  onTestFinished(() => program.remove())
  const { stdout } = await promisify(execFile)(process.execPath, [program.file])
  expect(JSON.parse(stdout)).toEqual({
    title: 'Shade',
    text: 'Trees cool',
    png: 'PNG',
    seconds: { mp3: expect.closeTo(1.05, 1), opus: 1, wav: 1 },
    spoken: expect.any(Number),
  })
})
