import type { RequestHandler } from 'express'
import { z } from 'zod'
import { type Credentials, connectThrough } from '../../connect/connect.ts'
import { revokeLeftover } from '../../connect/leftover.ts'
import { findLink, openLink } from '../../connect/open-link.ts'
import { stateFits } from '../../connect/state.ts'
import { line, text } from '../../contract/text.ts'
import { resumeSite } from '../../delivery/resume.ts'
import { GalleyError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { startCheck } from '../../sites/checks.ts'
import type { SiteRegistry } from '../../sites/registry.ts'
import type { Services } from '../services.ts'
import { addressesOf, nonceOf } from './browser.ts'

/** What WordPress adds to the address it sends the owner back to (`user_login`, `password`), or the form sends. */
const answerSchema = z.object({
  state: text(200),
  user_login: line(200),
  password: text(500).min(1),
})

/**
 * The owner's yes: from WordPress (GET /connect/{token}/approved) or by the form (POST /connect/{token}). Whatever
 * comes of it, the browser is sent on: the password stays neither in the address bar nor in the history.
 */
export const answered =
  (
    { database, keyring, outbound, config, log }: Services,
    part: 'query' | 'body',
  ): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { prisma, pool } = database
    const { token } = request.params
    const addresses = addressesOf(config.publicUrl, token)
    const answer = answerSchema.safeParse(request[part])
    if (!answer.success || !stateFits(answer.data.state, token, nonceOf(request)))
      return response.redirect(303, addresses.refused)
    const { state, user_login: username, password: applicationPassword } = answer.data
    const credentials = { username, applicationPassword }
    try {
      const link = await openLink(prisma, token)
      const siteId = await connectThrough({ prisma, keyring, outbound }, link, credentials)
      const { accountId } = link.row
      await resumeSite(pool, { accountId, id: siteId })
      await startCheck(pool, { accountId, siteIds: [siteId] })
      response.redirect(303, `${addresses.connected}?state=${state}`)
    } catch (error) {
      // The link's own page says what is the matter, with the link or with the site.
      if (!(error instanceof GalleyError)) throw error
      // The form's password is the owner's own; WordPress's was made for this answer, and nobody will use it.
      if (part === 'query') await leaveNothing({ prisma, keyring, outbound, log }, token, credentials)
      response.redirect(303, addresses.ask)
    }
  }

async function leaveNothing(
  registry: SiteRegistry & { log: Logger },
  token: string,
  credentials: Credentials,
): Promise<void> {
  const { log, prisma } = registry
  try {
    const { row } = await findLink(prisma, token)
    const revoked = await revokeLeftover(registry, row.url, credentials)
    log.info({ link: row.id, revoked }, 'an approval connected nothing')
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    log.info(
      { code: error.code },
      `the password of an approval that connected nothing stays: ${error.message}`,
    )
  }
}
