import { z } from 'zod'
import { type Query, read, type WordPressClient } from '../wordpress/client/index.ts'
import { label, listOf } from '../wordpress/fields.ts'
import { readLanguages } from '../wordpress/languages/index.ts'
import { readPostTypes } from '../wordpress/schema/index.ts'
import { asRefusal } from './verify-credentials.ts'

/** Names that are read of each kind: WordPress answers no more at once. */
const MOST = 100

const named = z.object({ value: z.string(), name: z.string() })

/** What a site has to choose from for its settings, under the names that people see there. */
export const siteChoicesSchema = z
  .object({
    post_types: z.array(named).describe('`value` is that of `post_type`.'),
    authors: z.array(z.string()).describe(`Users who may write, ${MOST} at most, as \`author\` takes them.`),
    categories: z.array(z.string()).describe(`${MOST} at most, those with the most posts.`),
    languages: z.array(named).describe('Empty where Polylang is not there. `value` is that of `language`.'),
  })
  .meta({ id: 'SiteChoices' })

export type SiteChoices = z.output<typeof siteChoicesSchema>

/** Asks a site what its settings may name. @throws GalleyError 422 with what the site answered */
export async function readChoices(client: WordPressClient): Promise<SiteChoices> {
  return asRefusal(async () => {
    const [types, languages, authors, categories] = await Promise.all([
      readPostTypes(client),
      readLanguages(client),
      namesOf(client, '/wp/v2/users', 'reading the users', { who: 'authors', orderby: 'name' }),
      namesOf(client, '/wp/v2/categories', 'reading the categories', { orderby: 'count', order: 'desc' }),
    ])
    return {
      post_types: types.map(({ restBase, label }) => ({ value: restBase, name: label })),
      authors,
      categories,
      languages: languages.map(({ slug, name }) => ({ value: slug, name })),
    }
  })
}

async function namesOf(
  client: WordPressClient,
  path: string,
  doing: string,
  order: Query,
): Promise<string[]> {
  const query = { per_page: MOST, _fields: 'name', ...order }
  const { value } = await read(client, listOf(z.object({ name: label() })), {
    path,
    query,
    doing,
    subject: 'site',
  })
  return value.map(({ name }) => name)
}
