/** Whether `error` is one of the system's, with one of these codes (`ENOENT`, …). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
