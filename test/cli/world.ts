import { runProgram } from '../../src/cli/program.ts'
import type { CliWorld } from '../../src/cli/world.ts'

/** What a command wrote, and how it ended. */
export interface Ran {
  code: number
  out: string
  err: string
}

/** Runs a command of `galley` as a shell would, but for the process. */
export async function run(
  args: readonly string[],
  changes: Partial<CliWorld> & { input?: string | Buffer } = {},
): Promise<Ran> {
  const { input = '', ...other } = changes
  let out = ''
  let err = ''
  const world: CliWorld = {
    env: {},
    write: async (text) => {
      out += text
    },
    note: (text) => {
      err += `${text}\n`
    },
    read: async () => Buffer.from(input),
    columns: undefined,
    watched: false,
    stop: new AbortController().signal,
    ...other,
  }
  return { code: await runProgram(args, world), out, err }
}
