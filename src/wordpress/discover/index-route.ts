import { z } from 'zod'
import { readJson } from '../client/index.ts'

const authenticationSchema = z.object({
  'application-passwords': z.object({ endpoints: z.object({ authorization: z.string() }) }).optional(),
})

/** The REST API's index. A WordPress names its `wp/v2` namespace there, whatever else it hides. */
export const restIndexSchema = z.object({
  name: z.string().default(''),
  url: z.string().default(''),
  home: z.string().default(''),
  gmt_offset: z.coerce.number().default(0),
  namespaces: z.array(z.string()).default([]),
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
