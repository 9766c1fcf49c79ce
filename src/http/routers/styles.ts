import type { Router } from 'express'
import { z } from 'zod'
import { GalleyError, refusal } from '../../errors.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import type { SiteId } from '../../sites/connection.ts'
import { loadSite, requireSite } from '../../sites/health/load-site.ts'
import { asCredentialError } from '../../sites/verify-credentials.ts'
import { answers, type Endpoint, endpoint } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION } from '../request-body.ts'
import { folderRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import { SANDBOX_HEADERS } from './files.ts'

/** The styles of sites, for the frame in which a preview is shown; no key opens them but their address. */
export function stylesRouter({ database, keyring, outbound, styles }: Services): Router {
  const { pool } = database
  return folderRouter('styles', async (request, response) => {
    const site = verifyStylesUrl(keyring, request.params.name)
    const found = site && (await loadSite({ pool, keyring, outbound }, site))
    if (!found)
      throw refusal(
        'NOT_FOUND',
        'There are no styles at this address. Galley keeps those of a preview for an hour: open the preview again.',
        404,
      )
    const { css } = await asCredentialError(() => styles.of(found.open()))
    response.set({ 'Content-Type': 'text/css; charset=utf-8', ...SANDBOX_HEADERS })
    response.send(css)
  })
}

const siteStylesSchema = z
  .object({
    path: z
      .string()
      .describe('Where this Galley serves them as one style sheet, for an hour and without a key.'),
    left_out: z.array(z.string()).describe('Style sheets that could not be read.'),
  })
  .meta({ id: 'SiteStyles' })

export function siteStylesEndpoints({ database, keyring, outbound, styles }: Services): Endpoint[] {
  const { pool } = database
  return [
    endpoint('GET /v1/sites/{uuid}/styles', {
      operationId: 'getSiteStyles',
      right: 'preview',
      summary: 'Read what the posts of a site look like',
      description:
        'Its front page is asked for its style sheets, as any visitor would, and they are kept for some minutes. What they would load is left out: other style sheets, fonts, pictures.',
      answer: answers.data('Where they are.', siteStylesSchema),
      failures: {
        422: 'The page cannot be read, or names no styles: `error.code` and the sentence say why.',
        503: MEMORY_BUSY_DESCRIPTION,
      },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const site = { accountId, id }
        const found = await requireSite({ pool, keyring, outbound }, site)
        const { leftOut } = await asCredentialError(() => styles.of(found.open()))
        return { path: signStylesUrl(keyring, site), left_out: leftOut }
      },
    }),
  ]
}

/** Milliseconds for which an address can be loaded: a preview that is open that long has its styles already. */
const STYLES_URL_TTL_MS = 3_600_000

const STYLES_URL_IDENTITY = 'address:styles'

const stylesTokenSchema = z.strictObject({ accountId: z.guid(), id: z.guid(), until: z.int() })

/** The frame of a preview has no session: for an hour, the encrypted address says what it may load. */
export const signStylesUrl = (keyring: Keyring, { accountId, id }: SiteId): string =>
  `/styles/${keyring.encrypt(JSON.stringify({ accountId, id, until: Date.now() + STYLES_URL_TTL_MS }), STYLES_URL_IDENTITY)}.css`

/** The site that such an address is of; undefined for one that Galley did not make, or whose hour is over. */
export function verifyStylesUrl(keyring: Keyring, name: string): SiteId | undefined {
  if (!name.endsWith('.css')) return undefined
  try {
    const { accountId, id, until } = stylesTokenSchema.parse(
      JSON.parse(keyring.decrypt(name.slice(0, -'.css'.length), STYLES_URL_IDENTITY)),
    )
    return until > Date.now() ? { accountId, id } : undefined
  } catch (error) {
    if (error instanceof GalleyError) return undefined
    throw error
  }
}
