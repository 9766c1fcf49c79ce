import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import type { Taxonomy } from './types.ts'

const createdSchema = z.object({ id: z.number() })
const existsSchema = z.object({ wordpress: z.object({ data: z.object({ term_id: z.coerce.number() }) }) })

/** Makes a term. Where WordPress knows it already, by its own idea of equal names, that one is adopted. */
export async function createTerm(
  client: WordPressClient,
  { taxonomy, name, parent }: { taxonomy: Taxonomy; name: string; parent?: number | undefined },
): Promise<number> {
  try {
    const { value } = await read(client, createdSchema, {
      method: 'POST',
      path: `/wp/v2/${taxonomy}`,
      data: { name, ...(parent === undefined ? {} : { parent }) },
      doing: `making “${name}”`,
      subject: 'term',
    })
    return value.id
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== 'term_exists') throw error
    const existing = existsSchema.safeParse(error.details)
    if (!existing.success) throw error
    return existing.data.wordpress.data.term_id
  }
}
