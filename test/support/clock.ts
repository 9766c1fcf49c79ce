import { vi } from 'vitest'

/** Sets the clock of this process, which goes on from there, so many milliseconds from the true time; `vi.restoreAllMocks()` sets it right. */
export function setClock(fromTrueMs: number): void {
  const start = performance.timeOrigin + fromTrueMs
  vi.spyOn(Date, 'now').mockImplementation(() => Math.round(start + performance.now()))
}
