import { decodeHTML } from 'entities'
import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { id } from '../fields.ts'
import { requireOwnAnswer } from '../own-answer.ts'
import { findTerm } from './find.ts'
import { sameName, tidy } from './names.ts'
import type { WantedTerm } from './types.ts'

const createdSchema = z.object({ id, name: z.string() })
const existsSchema = z.object({
  wordpress: z.object({ data: z.object({ term_id: z.coerce.number().pipe(id) }) }),
})

/** Makes a term. Where WordPress knows it already, by its own idea of equal names, that one is adopted. */
export async function createTerm(
  client: WordPressClient,
  { taxonomy, name, parent, language }: WantedTerm,
): Promise<number> {
  const request = {
    method: 'POST',
    path: `/wp/v2/${taxonomy}`,
    query: { lang: language },
    data: { name, ...(parent === undefined ? {} : { parent }) },
    doing: `creating “${name}”`,
    subject: 'term',
  } as const
  try {
    const { value } = await read(client, createdSchema, request)
    if (sameName(decodeHTML(value.name), tidy(name))) return value.id
    // Made under another name by a plugin, or not made at all: what stands there decides.
    const found = await findTerm(client, { taxonomy, name, parent, language })
    requireOwnAnswer(client, request, found !== null, `“${decodeHTML(value.name)}” instead`)
    return found?.id ?? value.id
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== 'term_exists') throw error
    const existing = existsSchema.safeParse(error.details)
    if (!existing.success) throw error
    return existing.data.wordpress.data.term_id
  }
}
