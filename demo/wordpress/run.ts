import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Milliseconds until the command is stopped. */
  timeoutMs: number
}

/**
 * Runs a command and answers its standard output.
 * @throws an error whose message is the command's own last words, so that it reads well after a colon.
 */
export async function run(command: string, args: string[], options: RunOptions): Promise<string> {
  try {
    const { stdout } = await execute(command, args, {
      cwd: options.cwd,
      env: { ...process.env, LC_ALL: 'C', ...options.env },
      timeout: options.timeoutMs,
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  } catch (cause) {
    throw new Error(`${command}: ${lastWords(cause, options.timeoutMs)}`, { cause })
  }
}

function lastWords(cause: unknown, timeoutMs: number): string {
  const { code, killed, stderr, message } = cause as NodeJS.ErrnoException & {
    killed?: boolean
    stderr?: string
  }
  if (code === 'ENOENT') return 'not installed on this machine'
  if (killed) return `not finished after ${timeoutMs / 1000} s`
  return stderr?.trim().split('\n').slice(-3).join('; ') || message
}
