import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Asks a process to end, and makes it end where it does not within `patienceMs`. Resolves when it is gone. */
export async function endChild(child: ChildProcess, patienceMs: number): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(impatience)
}
