import { z } from 'zod'
import { recoverWith } from '../errors.ts'
import { requestParsed, type WordPressClient } from './client/client.ts'
import { boundedArray, keywordSchema, labelSchema } from './fields.ts'

/** Far more than a site has; they are read out in sentences. */
const MOST = 50

const languageSchema = z
  .object({
    slug: keywordSchema(20),
    name: labelSchema(50),
    is_default: z.boolean().optional().catch(undefined),
  })
  .transform(({ slug, name, is_default }) => ({ slug, name, isDefault: is_default === true }))

/** The languages of a site that Polylang runs; none where it is not there. */
export async function readLanguages(client: WordPressClient) {
  const read = requestParsed(client, boundedArray(languageSchema, MOST), {
    path: '/pll/v1/languages',
    doing: 'reading its languages',
    subject: 'site',
  })
  const found = await read.catch(recoverWith(null, ({ code }) => ABSENT.has(code)))
  return found?.value ?? []
}

/** What a site answers that lacks the route; a firewall or a page, where it looks at nothing it does not know. */
const ABSENT: ReadonlySet<string> = new Set(['rest_route_missing', 'not_found', 'firewall_blocked'])
