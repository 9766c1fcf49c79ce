import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from '../../faults/stage/child.ts'

/** What a command said, and how it ended. */
interface Said {
  code: number | null
  out: string
  err: string
}

/** A folder in which Galley is installed, and a shell there. */
export interface Installed {
  folder: string
  /** The file that Node runs. */
  program: string
  /** Runs a line as it is typed there. */
  type(line: string, settings?: Record<string, string>): Promise<Said>
  /** Starts a Galley with a line; resolves with its address when it serves. */
  serve(line: string, settings: Record<string, string>): Promise<Serving>
  remove(): Promise<void>
}

interface Serving {
  url: string
  stop(): Promise<void>
}

/** Installs the source at hand as npm would: `npx galley` and `npm start` are it. */
export async function install(settings: Record<string, string>): Promise<Installed> {
  const program = await bundleProgram('src/main.ts')
  const folder = await mkdtemp(join(tmpdir(), 'galley-commands-'))
  const bin = join(folder, 'node_modules/.bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'galley'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  await chmod(join(bin, 'galley'), 0o755)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'exec galley' } }))
  const running: ChildProcess[] = []
  const start = (line: string, more: Record<string, string>) => {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      // Nothing is asked of a registry: what is not installed here is a mistake.
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
      ...settings,
      ...more,
    }
    // A group of its own, so that a signal reaches what npm started too.
    const child = spawn('sh', ['-c', line], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.push(child)
    return child
  }
  return {
    folder,
    program,
    async type(line, more = {}) {
      const child = start(line, more)
      const [out, err] = [heard(child, 'stdout'), heard(child, 'stderr')]
      const [code] = await once(child, 'close')
      return { code, out: out(), err: err() }
    },
    async serve(line, more) {
      const child = start(line, more)
      const [out, err] = [heard(child, 'stdout'), heard(child, 'stderr')]
      const closed = once(child, 'close')
      while (!/serves at/.test(out()) && child.exitCode === null)
        await Promise.race([once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data'), closed])
      const url = /serves at (\S+)/.exec(out())?.[1]
      if (url === undefined) throw new Error(`${line} did not serve: ${out()}${err()}`)
      return { url, stop: () => end(child, closed) }
    },
    async remove() {
      for (const child of running)
        if (child.exitCode === null && child.signalCode === null) signal(child, 'SIGKILL')
      await rm(folder, { recursive: true })
    },
  }
}

function heard(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[stream]?.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  process.kill(-(pid as number), name)
}

async function end(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  signal(child, 'SIGTERM')
  await closed
}
