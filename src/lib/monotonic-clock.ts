/** Milliseconds that the system's clock may be corrected by, or be read apart from the other, before it has jumped. */
const JUMP_MS = 250

let clockOffsetMs = Date.now() - performance.now()
let sleptMs = 0

/**
 * Milliseconds that go on while the machine sleeps, unlike `performance.now()`, and never go back, unlike `Date.now()`. A clock
 * that is put forward cannot be told from sleep, and counts as such.
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
