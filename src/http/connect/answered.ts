import type { RequestHandler } from 'express'
import { z } from 'zod'
import { connectThrough } from '../../connect/connect.ts'
import type { Credentials } from '../../connect/locate.ts'
import { openLink, rowOfLink } from '../../connect/open-link.ts'
import { type OrphanedPassword, revokeOrphanedPassword } from '../../connect/orphaned-password.ts'
import { stateFits } from '../../connect/state.ts'
import { line, text } from '../../contract/text.ts'
import { resumeLocked } from '../../delivery/ledger/resume.ts'
import { GalleyError } from '../../errors.ts'
import { startCheck } from '../../sites/health/checks.ts'
import type { SiteId } from '../../sites/site-id.ts'
import type { Services } from '../services.ts'
import { addressesOf, nonceOf } from './browser.ts'

/** What WordPress adds to the address it sends the owner back to (`user_login`, `password`), or the form sends. */
const answerSchema = z.object({
  state: text(200),
  user_login: line(200),
  password: text(500).min(1),
})

type Answering = Pick<Services, 'database' | 'keyring' | 'outbound' | 'log'>

/**
 * The owner's yes: from WordPress (GET /connect/{token}/approved) or by the form (POST /connect/{token}). Whatever
 * comes of it, the browser is sent on: the password stays neither in the address bar nor in the history. What fails
 * before this is asked at all is sent on by {@link leaveAddress}.
 */
export const answered =
  (services: Services, part: 'query' | 'body'): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { token } = request.params
    const addresses = addressesOf(services.config.publicUrl, token)
    const answer = answerSchema.safeParse(request[part])
    if (!answer.success || !stateFits(answer.data.state, token, nonceOf(request)))
      return response.redirect(303, addresses.refused)
    const { state, user_login: username, password: applicationPassword } = answer.data
    const credentials = { username, applicationPassword, justMade: part === 'query' }
    try {
      const { accountId, siteId } = await connect(services, token, credentials)
      await follow(services, { accountId, id: siteId })
      response.redirect(303, `${addresses.connected}?state=${state}`)
    } catch (error) {
      // The form's password is the owner's own; WordPress's was made for this answer, and nobody will use it.
      const foreseen = error instanceof GalleyError
      const orphanedPassword =
        part === 'body' ? 'revoked' : await leaveNothing(services, token, credentials, error)
      if (!foreseen) services.log.error({ err: error }, 'the answer to a connect link failed')
      // The link's own page says what is the matter, with the link or with the site.
      const address = foreseen ? addresses.ask : addresses.failed
      response.redirect(303, orphanedPassword === 'stays' ? `${address}?left_over=1` : address)
    }
  }

async function connect(
  { database: { prisma }, keyring, outbound }: Answering,
  token: string,
  answer: Credentials,
) {
  const link = await openLink(prisma, token)
  const siteId = await connectThrough({ prisma, keyring, outbound, resume: resumeLocked }, link, answer)
  return { accountId: link.row.accountId, siteId }
}

/** The doctor looks at the new site, which is connected without it. */
async function follow({ database: { pool }, log }: Answering, site: SiteId): Promise<void> {
  try {
    await startCheck(pool, { accountId: site.accountId, siteIds: [site.id] })
  } catch (err) {
    log.error({ err, site: site.id }, 'a site was connected, and its check could not be started')
  }
}

/** Takes back the password of an approval that connected nothing; `stays` where that cannot be done. */
async function leaveNothing(
  { database: { prisma }, keyring, outbound, log }: Answering,
  token: string,
  credentials: Credentials,
  refusal: unknown,
): Promise<OrphanedPassword> {
  try {
    const row = await rowOfLink(prisma, token)
    const orphanedPassword = await revokeOrphanedPassword(
      { prisma, keyring, outbound },
      row,
      credentials,
      refusal,
    )
    log.info({ link: row.id, orphanedPassword }, 'an approval connected nothing')
    return orphanedPassword
  } catch (error) {
    const code = error instanceof GalleyError ? error.code : 'INTERNAL'
    log.warn({ code, err: error }, 'the password of an approval that connected nothing could not be revoked')
    return 'stays'
  }
}
