import { z } from 'zod'

/** Any UUID, of whatever version: the upstream's ids are kept as they are. */
export const uuid = z.guid().toLowerCase()

export const instant = z.iso.datetime().describe('ISO 8601, UTC.')
