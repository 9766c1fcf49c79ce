import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { runProgram } from '../../../src/database/embedded/server-user.ts'

const onFullDisk = `console.log('many words before'); require('node:fs').writeFileSync('/dev/full', 'x')`

test.skipIf(!existsSync('/dev/full'))(
  'a disk that is full is not taken for a machine that cannot run PostgreSQL',
  async () => {
    const { message } = await runProgram(process.execPath, ['-e', onFullDisk], {
      user: undefined,
      cwd: tmpdir(),
    }).then(Promise.reject, (error: Error) => error)
    expect(message).toContain('no space left on device')
    expect(message).toContain('Free space on the disk of the data folder, and run this again.')
    expect(message).not.toMatch(/glibc|many words before/)
  },
)
