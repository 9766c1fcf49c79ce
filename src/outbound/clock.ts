/** The time that an exchange may take; it stands still while the other side is not waited for. */
export interface Clock {
  stop(): void
  go(): void
}

/** A clock that runs, and calls `onOver` once when its time has passed. Milliseconds. */
export function startClock(timeMs: number, onOver: () => void): Clock {
  let left = timeMs
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const clock: Clock = {
    stop() {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      left -= performance.now() - since
    },
    go() {
      clock.stop()
      since = performance.now()
      timer = setTimeout(onOver, Math.max(left, 0))
    },
  }
  clock.go()
  return clock
}
