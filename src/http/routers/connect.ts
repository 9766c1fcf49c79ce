import express, { type RequestHandler, type Router } from 'express'
import { z } from 'zod'
import {
  connectThrough,
  type OrphanedPassword,
  recordRejection,
  revokeOrphanedPassword,
} from '../../connect/connect.ts'
import { findLink, findLinkRow, isValidState, linkUnusable, openLink } from '../../connect/links.ts'
import { connectOptionsFor, type OwnerCredentials } from '../../connect/locate.ts'
import { askPage, connectedPage, endedPages, rejectedPage, unfinishedPage } from '../../connect/pages.ts'
import { boundedText, singleLineText } from '../../contract/scalars.ts'
import { resumeLockedSite } from '../../delivery/ledger/pause-and-resume.ts'
import { GalleyError } from '../../errors.ts'
import { sendPage } from '../../pages/page.ts'
import { nameInMessages, type SiteId } from '../../sites/connection.ts'
import { startCheck } from '../../sites/health/checks.ts'
import { currentReport } from '../../sites/health/report.ts'
import { refuseZstd } from '../request-body.ts'
import { labelRoute } from '../request-telemetry.ts'
import { methodNotAllowed, strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import {
  connectAddresses,
  connectErrorHandler,
  connectPageRateLimit,
  connectTryRateLimit,
  isPasswordOrphaned,
  nonceFromCookie,
  redirectToPlainAddress,
  setConnectState,
} from './connect-browser.ts'

/** The pages of a connect link, for the owner of a site: no key opens them but the link's own token. */
export function connectRouter(services: Services): Router {
  const router = strictRouter()
  const leave = redirectToPlainAddress(services)
  router.use('/connect', connectPageRateLimit())
  const tries = connectTryRateLimit()
  const open = (path: string, ...handlers: RequestHandler<{ token: string }>[]) =>
    router
      .route(path)
      .all(labelRoute(path.replace(':token', '{token}')))
      .get(...handlers)

  open('/connect/:token', showQuestion(services))
    .post(
      tries,
      refuseZstd,
      express.urlencoded({ extended: false, limit: '16kb' }),
      handleAnswer(services, 'body'),
    )
    .all(methodNotAllowed(['GET', 'POST']))
  open('/connect/:token/approved', tries, handleAnswer(services, 'query')).all(methodNotAllowed(['GET']))
  router.use('/connect/:token/approved', leave)
  open('/connect/:token/rejected', showRejected(services)).all(methodNotAllowed(['GET']))
  open('/connect/:token/connected', showConnected(services)).all(methodNotAllowed(['GET']))
  open('/connect/:token/failed', showFailed(services)).all(methodNotAllowed(['GET']))
  open('/connect/:token/refused', showRefused).all(methodNotAllowed(['GET']))
  router.use('/connect', connectErrorHandler)
  return router
}

const problemSchema = z.object({ message: z.string() }).nullable()

/** GET /connect/{token}: the question. It gives the browser what its answer must carry. */
export const showQuestion =
  ({ database, outbound, config }: Services): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { publicUrl } = config
    const link = await openLink(database.prisma, request.params.token)
    const addresses = connectAddresses(publicUrl, link.token)
    const state = setConnectState(request, response, { ...link, expiresAt: link.row.expiresAt, publicUrl })
    const options = await connectOptionsFor(
      outbound,
      { url: link.row.url, askedBy: link.askedBy },
      { approved: `${addresses.approved}?state=${state}`, rejected: `${addresses.rejected}?state=${state}` },
    )
    const problem = problemSchema.parse(link.row.problem)?.message
    sendPage(
      response,
      askPage({
        link,
        options,
        form: { action: addresses.ask, state },
        problem,
        orphanedPassword: isPasswordOrphaned(request),
      }),
    )
  }

/** What WordPress adds to the address it sends the owner back to (`user_login`, `password`), or the form sends. */
const answerSchema = z.object({
  state: boundedText(200),
  user_login: singleLineText(200),
  password: boundedText(500).min(1),
})

type AnswerServices = Pick<Services, 'database' | 'keyring' | 'outbound' | 'log'>

/**
 * The owner's yes: from WordPress (GET /connect/{token}/approved) or by the form (POST /connect/{token}). Whatever
 * comes of it, the browser is sent on: the password stays neither in the address bar nor in the history. What fails
 * before this is asked at all is sent on by {@link leaveAddress}.
 */
export const handleAnswer =
  (services: Services, part: 'query' | 'body'): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { token } = request.params
    const addresses = connectAddresses(services.config.publicUrl, token)
    const answer = answerSchema.safeParse(request[part])
    if (!answer.success || !isValidState(answer.data.state, token, nonceFromCookie(request)))
      return response.redirect(303, addresses.refused)
    const { state, user_login: username, password: applicationPassword } = answer.data
    const credentials = { username, applicationPassword, justMade: part === 'query' }
    try {
      const { accountId, siteId } = await connectSite(services, token, credentials)
      await startFirstCheck(services, { accountId, id: siteId })
      response.redirect(303, `${addresses.connected}?state=${state}`)
    } catch (error) {
      // The form's password is the owner's own; WordPress's was made for this answer, and nobody will use it.
      const foreseen = error instanceof GalleyError
      const orphanedPassword =
        part === 'body' ? 'revoked' : await revokeUnusedPassword(services, token, credentials, error)
      if (!foreseen) services.log.error({ err: error }, 'the answer to a connect link failed')
      // The link's own page says what is the matter, with the link or with the site.
      const address = foreseen ? addresses.ask : addresses.failed
      response.redirect(303, orphanedPassword === 'stays' ? `${address}?left_over=1` : address)
    }
  }

async function connectSite(
  { database: { prisma }, keyring, outbound }: AnswerServices,
  token: string,
  answer: OwnerCredentials,
) {
  const link = await openLink(prisma, token)
  const siteId = await connectThrough({ prisma, keyring, outbound, resume: resumeLockedSite }, link, answer)
  return { accountId: link.row.accountId, siteId }
}

/** The doctor looks at the new site, which is connected without it. */
async function startFirstCheck({ database: { pool }, log }: AnswerServices, site: SiteId): Promise<void> {
  try {
    await startCheck(pool, { accountId: site.accountId, siteIds: [site.id] })
  } catch (err) {
    log.error({ err, site: site.id }, 'a site was connected, and its check could not be started')
  }
}

/** Takes back the password of an approval that connected nothing; `stays` where that cannot be done. */
async function revokeUnusedPassword(
  { database: { prisma }, keyring, outbound, log }: AnswerServices,
  token: string,
  credentials: OwnerCredentials,
  refusal: unknown,
): Promise<OrphanedPassword> {
  try {
    const row = await findLinkRow(prisma, token)
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

/** How long the page waits for the doctor before it does without, in milliseconds. */
const CHECK_WAIT_MS = 90_000

/** GET /connect/{token}/connected: for the browser that did it; to any other, the link is just used. */
export const showConnected =
  ({ database: { prisma }, config }: Services): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { token, row } = await findLink(prisma, request.params.token)
    if (
      !isValidState(request.query.state, token, nonceFromCookie(request)) ||
      row.siteId === null ||
      row.usedAt === null
    )
      return response.redirect(303, connectAddresses(config.publicUrl, token).ask)
    const site = await prisma.site.findFirst({ where: { id: row.siteId, accountId: row.accountId } })
    if (site === null) throw linkUnusable('used')
    const waiting = Date.now() - row.usedAt.getTime() < CHECK_WAIT_MS
    const { username, url } = site
    sendPage(
      response,
      connectedPage({
        site: { name: nameInMessages(url), url, username },
        report: currentReport(site) ?? (waiting ? 'waiting' : null),
      }),
    )
  }

// Where an answer ends that connected nothing.

/** GET /connect/{token}/rejected: the owner's no, from WordPress. */
export const showRejected =
  ({ database, config }: Services): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const link = await openLink(database.prisma, request.params.token)
    const addresses = connectAddresses(config.publicUrl, link.token)
    if (!isValidState(request.query.state, link.token, nonceFromCookie(request)))
      return response.redirect(303, addresses.refused)
    await recordRejection(database, link)
    const page = rejectedPage({
      site: nameInMessages(link.row.url),
      askedBy: link.askedBy,
      again: addresses.ask,
      // WordPress's own "Go back", where it could not even ask.
      disabled: request.query.error === 'disabled',
    })
    sendPage(response, page)
  }

/** GET /connect/{token}/refused: where an answer ends that does not belong to this link and this browser. */
export const showRefused: RequestHandler<{ token: string }> = (_request, response) =>
  sendPage(response, endedPages.CONNECT_STATE_WRONG)

/** GET /connect/{token}/failed: where an answer ends that Galley itself could not take. It asks nobody anything. */
export const showFailed =
  ({ config }: Pick<Services, 'config'>): RequestHandler<{ token: string }> =>
  (request, response) => {
    const again = connectAddresses(config.publicUrl, request.params.token).ask
    sendPage(response, unfinishedPage({ again, orphanedPassword: isPasswordOrphaned(request) }))
  }
