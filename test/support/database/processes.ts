import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface ReadyEvent {
  event: 'ready'
  /** Of the server. */
  pid: number
  adopted: boolean
  connectionString: string
}

type ProcessEvent =
  | ReadyEvent
  | { event: 'failed'; code: string; message: string }
  | { event: 'lost'; code: string; message: string }
  | { event: 'log'; level: string; text: string; error?: string }
  | { event: 'stopped' }
  | { event: 'interrupted' }

export interface EmbeddedProcess {
  pid: number
  /** Waits for the first event of a kind, past ones included. */
  saw<Kind extends ProcessEvent['event']>(kind: Kind): Promise<Extract<ProcessEvent, { event: Kind }>>
  signal(signal: NodeJS.Signals): void
  /** Signals its whole process group, as Ctrl-C in a terminal does. */
  signalGroup(signal: NodeJS.Signals): void
  exited: Promise<void>
}

const source = fileURLToPath(new URL('embedded-process.ts', import.meta.url))

/** Writes `embedded-process.ts` and all it needs, but for PostgreSQL itself, as one file that plain node runs. */
export async function bundleEmbeddedProcess(outfile: string): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    // For pg, which is CommonJS.
    banner: { js: "import * as m from 'node:module'; const require = m.createRequire(import.meta.url)" },
  })
}

/** Starts the bundled `script` on a data folder, in a process group of its own. */
export function startEmbeddedProcess(
  script: string,
  dataDir: string,
  user?: { uid: number; gid: number },
): EmbeddedProcess {
  const child = spawn(process.execPath, [script, dataDir], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('The process did not start')

  const events: ProcessEvent[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => events.push(JSON.parse(line) as ProcessEvent))
  const exited = once(child, 'close').then(() => undefined)

  return {
    pid,
    exited,
    async saw(kind) {
      for (;;) {
        const found = events.find(({ event }) => event === kind)
        if (found) return found as never
        const ended = await Promise.race([once(lines, 'line').then(() => false), exited.then(() => true)])
        if (ended && !events.some(({ event }) => event === kind)) {
          throw new Error(`The process ended without "${kind}": ${JSON.stringify(events)}`)
        }
      }
    },
    signal: (signal) => process.kill(pid, signal),
    signalGroup: (signal) => process.kill(-pid, signal),
  }
}
