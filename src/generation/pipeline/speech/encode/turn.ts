/** Files that a process encodes at once: each has a thread, with some 50 MB and a processor of its own. */
export const AT_ONCE = 2

let under = 0
const waiting = new Set<() => void>()

/**
 * Waits until it may be encoded.
 *
 * @returns to be called once that has ended
 * @throws the signal's reason when it is aborted meanwhile
 */
export async function takeTurn(signal: AbortSignal): Promise<() => void> {
  while (under >= AT_ONCE && !signal.aborted) await woken(signal)
  if (signal.aborted) wakeNext()
  signal.throwIfAborted()
  under += 1
  return () => {
    under -= 1
    wakeNext()
  }
}

/** Whoever was woken and has no use for it wakes the next in turn. */
const wakeNext = () => {
  const [next] = waiting
  next?.()
}

const woken = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const wake = () => {
      waiting.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
  })
