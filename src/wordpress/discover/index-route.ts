import { z } from 'zod'
import { readJson } from '../client/index.ts'
import { label, webAddress } from '../fields.ts'

/** That they are on is one thing, where to approve one another. */
const authenticationSchema = z.object({
  'application-passwords': z
    .object({ endpoints: z.object({ authorization: webAddress.optional().catch(undefined) }).catch({}) })
    .optional(),
})

/** The REST API's index. A WordPress names its `wp/v2` namespace there, whatever else it hides. */
export const restIndexSchema = z.object({
  name: label().catch(''),
  url: webAddress.or(z.literal('')).catch(''),
  home: webAddress.or(z.literal('')).catch(''),
  namespaces: z
    .array(z.unknown())
    .transform((names) => names.slice(0, 5000).filter((name) => typeof name === 'string'))
    .default([]),
  authentication: z
    .union([authenticationSchema, z.tuple([])])
    .transform((schemes): z.output<typeof authenticationSchema> => (Array.isArray(schemes) ? {} : schemes))
    .default({}),
})

export type RestIndex = z.output<typeof restIndexSchema>

/** The index in an answer, or `null` where the answer is something else. */
export function readIndex(body: Buffer): RestIndex | null {
  const json = readJson(body)
  const index = restIndexSchema.safeParse(json.found ? json.value : undefined)
  return index.success && index.data.namespaces.includes('wp/v2') ? index.data : null
}
