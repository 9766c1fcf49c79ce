import { v7 as uuid } from 'uuid'

/** Most milliseconds that an id of version 7 can have. */
const MAX_MS = 2 ** 48 - 1

/** The lowest id of version 7 of a moment in Unix milliseconds, or of the nearest that such an id can have. */
export const lowestUuidAt = (ms: number): string =>
  uuid({ msecs: Math.floor(Math.min(Math.max(ms, 0), MAX_MS)), seq: 0, random: new Uint8Array(16) })

/** When an id of version 7 was made, in Unix milliseconds: its first 48 bits. Undefined for another version. */
export const timeOfUuid = (id: string): number | undefined =>
  id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
