/**
 * Who asks for a longer pause than this is tried once in this time all the same. One small request an hour harms
 * nobody, and firewalls and plugins name days and years for what a person repairs in minutes.
 */
const LONGEST_MS = 60 * 60 * 1000
const SHORTEST_MS = 1_000

/**
 * `Retry-After` (RFC 9110, 10.2.3: seconds or a date) in milliseconds, between one second and one hour.
 * What cannot be read is `undefined`: the caller's own backoff applies.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  const ms = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS)
}
