import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, readJson, type WordPressClient } from '../client/index.ts'
import { label, webAddress } from '../fields.ts'

/** That they are on is one thing, where to approve one another. */
const authenticationSchema = z.object({
  'application-passwords': z
    .object({ endpoints: z.object({ authorization: webAddress.optional().catch(undefined) }).catch({}) })
    .optional(),
})

/** The REST API's index. A WordPress names its `wp/v2` namespace there, whatever else it hides. */
const restIndexSchema = z.object({
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

/** The index as the user sees it, which plugins may hide from visitors; `null` where it is shown to nobody. */
export async function askIndex(client: WordPressClient): Promise<RestIndex | null> {
  try {
    const request = { path: '/', doing: 'reading its index', subject: 'site' } as const
    return (await read(client, restIndexSchema, request)).value
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}

/** The index in an answer, or `null` where the answer is something else. */
export function readIndex(body: Buffer): RestIndex | null {
  const json = readJson(body)
  const index = restIndexSchema.safeParse(json.found ? json.value : undefined)
  return index.success && index.data.namespaces.includes('wp/v2') ? index.data : null
}
