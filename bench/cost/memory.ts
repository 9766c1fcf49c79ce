import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The resident set of a process, in megabytes (10⁶ bytes). */
export async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
  return (Number(stdout) * 1_024) / 1e6
}

/** What a Node needs that only listens. */
export async function bareNodeMegabytes(): Promise<number> {
  const script = "require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('up'))"
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const megabytes = await memoryOf(child.pid as number)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return megabytes
}

const SAMPLE_EVERY_MS = 200

/** Looks at a process again and again, and keeps the highest it saw. */
export class PeakMemory {
  readonly #loop: Promise<number>
  #stopped = false

  constructor(pid: number) {
    this.#loop = this.#watch(pid)
  }

  async stop(): Promise<number> {
    this.#stopped = true
    return this.#loop
  }

  async #watch(pid: number): Promise<number> {
    for (let peak = 0; ; ) {
      peak = Math.max(peak, await memoryOf(pid))
      if (this.#stopped) return peak
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS))
    }
  }
}
