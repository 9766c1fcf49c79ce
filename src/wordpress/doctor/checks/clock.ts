import { counted } from '../../../text.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

const TOLERATED_MS = 2 * 60 * 1000

/** The server's clock against ours, from the `Date` of an answer; `null` where it sent none. */
export function checkClock(date: string | undefined, now: number): Finding | null {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return null
  const skew = theirs - now
  if (Math.abs(skew) <= TOLERATED_MS) {
    return ok('clock', 'The clocks of the site and of Galley agree.', 'Posts get the right time.')
  }
  const minutes = Math.round(Math.abs(skew) / 60_000)
  return warning(
    'clock',
    `The clock of the site is ${counted(minutes, 'minute')} ${skew > 0 ? 'ahead' : 'behind'}.`,
    'Posts get a wrong time; one published on a clock that is ahead shows as scheduled elsewhere.',
    'Ask the host to set the server’s clock, usually by switching time synchronisation on.',
  )
}
