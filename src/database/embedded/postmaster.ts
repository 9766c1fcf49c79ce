import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasErrnoCode } from '../../errors.ts'

export interface Postmaster {
  pid: number
  port: number
}

export async function recordedPostmaster(data: string): Promise<Postmaster | undefined> {
  try {
    const [pid, , , port] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
    return Number(pid) > 0 ? { pid: Number(pid), port: Number(port) } : undefined
  } catch (error) {
    if (hasErrnoCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** The server running on these data, if any. After a reboot its process id may be anybody's. */
export async function runningPostmaster(data: string): Promise<Postmaster | undefined> {
  const recorded = await recordedPostmaster(data)
  return recorded && (await isServerOf(recorded.pid, data)) ? recorded : undefined
}

/** Whether this process serves these data; a zombie does not. */
export async function isServerOf(pid: number, data: string): Promise<boolean> {
  return isAlive(pid) && (await commandLine(pid)).includes(data)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasErrnoCode(error, 'EPERM')
  }
}

async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8')
    const list: [string, string[]] =
      process.platform === 'win32'
        ? [
            'powershell',
            [
              '-NoProfile',
              '-Command',
              `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`,
            ],
          ]
        : ['ps', ['-ww', '-o', 'command=', '-p', String(pid)]]
    return (await promisify(execFile)(...list)).stdout
  } catch (error) {
    // It ended meanwhile.
    if (hasErrnoCode(error, 'ENOENT', 'ESRCH', '1')) return ''
    throw error
  }
}
