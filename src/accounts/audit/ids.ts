/** When an id of version 7 was made: its first 48 bits are milliseconds. */
export const momentOf = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))

/** Below every id that is made at this time or later, and above those before: no id of version 7 has so small a rest. */
export function firstIdOf(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
