import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { label, listOf, word } from '../fields.ts'

/** A language that a site has posts and terms in. */
export interface SiteLanguage {
  /** Its code there: `en`. */
  slug: string
  name: string
  isDefault: boolean
}

const languagesSchema = listOf(
  z
    .object({ slug: word(), name: label(), is_default: z.boolean().optional().catch(undefined) })
    .transform(
      ({ slug, name, is_default }): SiteLanguage => ({ slug, name, isDefault: is_default === true }),
    ),
)

/** The languages of a site that Polylang runs; none where it is not there. */
export async function readLanguages(client: WordPressClient): Promise<SiteLanguage[]> {
  try {
    const { value } = await read(client, languagesSchema, {
      path: '/pll/v1/languages',
      doing: 'reading its languages',
      subject: 'site',
    })
    return value
  } catch (error) {
    if (error instanceof GalleyError && ABSENT.has(error.code)) return []
    throw error
  }
}

/** What a site answers that lacks the route; a firewall or a page, where it looks at nothing it does not know. */
const ABSENT: ReadonlySet<string> = new Set(['rest_route_missing', 'not_found', 'firewall_blocked'])
