import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { requestParsed, type WordPressClient } from './client/index.ts'
import { boundedArray, keywordSchema, labelSchema } from './fields.ts'

/** A language that a site has posts and terms in. */
interface SiteLanguage {
  /** Its code there: `en`. */
  slug: string
  name: string
  isDefault: boolean
}

/** Far more than a site has; they are read out in sentences. */
const MOST = 50

const languageSchema = z
  .object({
    slug: keywordSchema(20),
    name: labelSchema(50),
    is_default: z.boolean().optional().catch(undefined),
  })
  .transform(({ slug, name, is_default }): SiteLanguage => ({ slug, name, isDefault: is_default === true }))

/** The languages of a site that Polylang runs; none where it is not there. */
export async function readLanguages(client: WordPressClient): Promise<SiteLanguage[]> {
  try {
    const { value } = await requestParsed(client, boundedArray(languageSchema, MOST), {
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
