/** Milliseconds that the system's clock may be corrected by, or be read apart from the other, before it has jumped. */
const JUMP_MS = 250

let clockOffsetMs = Date.now() - performance.now()
let sleptMs = 0

/**
 * Milliseconds to measure by how long ago something was. They go on while the machine sleeps, where `performance.now()`
 * stands still, and never go back, as `Date.now()` does when somebody sets the clock: what has been held for a time must not
 * seem held for hours to come. A clock that is put forward cannot be told from sleep, and counts as such.
 */
export function monotonicNow(): number {
  const now = performance.now()
  const jumped = Date.now() - now - clockOffsetMs
  if (Math.abs(jumped) > JUMP_MS) {
    clockOffsetMs += jumped
    sleptMs += Math.max(jumped, 0)
  }
  return now + sleptMs
}
