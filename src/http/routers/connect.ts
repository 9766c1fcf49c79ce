import { parseCookie } from 'cookie'
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { z } from 'zod'
import {
  connectOptionsFor,
  connectThrough,
  type OrphanedPassword,
  type OwnerCredentials,
  recordRejection,
  revokeOrphanedPassword,
} from '../../connect/connect.ts'
import {
  csrfState,
  findLink,
  findLinkRow,
  isValidState,
  linkUnusable,
  openLink,
} from '../../connect/links.ts'
import {
  askPage,
  connectedPage,
  endedPages,
  failedPage,
  rejectedPage,
  unfinishedPage,
  withOrphanedPasswordNote,
} from '../../connect/pages.ts'
import { boundedText, singleLineText } from '../../contract/scalars.ts'
import { resumeLockedSite } from '../../delivery/ledger/outage.ts'
import { GalleyError } from '../../errors.ts'
import { sendPage } from '../../pages/page.ts'
import { createToken, hashToken, isToken } from '../../secrets/keyring.ts'
import { nameInMessages } from '../../sites/connection.ts'
import { startChecks } from '../../sites/health/check-site.ts'
import { reportView } from '../../sites/health/report.ts'
import { limitPerMinute } from '../authentication.ts'
import { refuseZstd } from '../request-body.ts'
import { labelRoute } from '../request-telemetry.ts'
import { beginErrorResponse, methodNotAllowed, strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'

/** The pages of a connect link, for the owner of a site: no key opens them but the link's own token. */
export function connectRouter(services: Services): Router {
  const router = strictRouter()
  const leave = redirectToPlainAddress(services)
  router.use('/connect', limitPerMinute(PAGES_PER_MINUTE, TOO_MANY_PAGES))
  const tries = limitPerMinute(TRIES_PER_MINUTE, TOO_MANY_TRIES, ({ params }) =>
    hashToken(String(params.token)),
  )
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
const showQuestion =
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

/** The owner's yes, from WordPress or the form. The browser is sent on: the password stays in no address bar or history. */
const handleAnswer =
  (services: Services, part: 'query' | 'body'): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { database, keyring, outbound, log } = services
    const { prisma, pool } = database
    const { token } = request.params
    const addresses = connectAddresses(services.config.publicUrl, token)
    const answer = answerSchema.safeParse(request[part])
    if (!answer.success || !isValidState(answer.data.state, token, nonceFromCookie(request)))
      return response.redirect(303, addresses.refused)
    const { state, user_login: username, password: applicationPassword } = answer.data
    const credentials = { username, applicationPassword, justMade: part === 'query' }
    try {
      const link = await openLink(prisma, token)
      const registry = { prisma, keyring, outbound, resume: resumeLockedSite }
      const siteId = await connectThrough(registry, link, credentials)
      // The doctor looks at the new site, which is connected without it.
      await startChecks(pool, link.row.accountId, [siteId]).catch((err) =>
        log.error({ err, site: siteId }, 'a site was connected, and its check could not be started'),
      )
      response.redirect(303, `${addresses.connected}?state=${state}`)
    } catch (error) {
      // The form's password is the owner's own; WordPress's was made for this answer, and nobody will use it.
      const foreseen = error instanceof GalleyError
      const orphanedPassword =
        part === 'body' ? 'revoked' : await revokeUnusedPassword(services, token, credentials, error)
      if (!foreseen) log.error({ err: error }, 'the answer to a connect link failed')
      // The link's own page says what is the matter, with the link or with the site.
      const address = foreseen ? addresses.ask : addresses.failed
      response.redirect(303, orphanedPassword === 'stays' ? `${address}?left_over=1` : address)
    }
  }

/** Takes back the password of an approval that connected nothing; `stays` where that cannot be done. */
async function revokeUnusedPassword(
  { database: { prisma }, keyring, outbound, log }: Services,
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
const showConnected =
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
    // That of an earlier connection is kept, to compare with.
    const report = site.reportAt === null ? null : reportView(site.report)
    sendPage(
      response,
      connectedPage({
        site: { name: nameInMessages(url), url, username },
        report: report ?? (waiting ? 'waiting' : null),
      }),
    )
  }

// Where an answer ends that connected nothing.

const showRejected =
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
const showRefused: RequestHandler<{ token: string }> = (_request, response) =>
  sendPage(response, endedPages.CONNECT_STATE_WRONG)

/** GET /connect/{token}/failed: where an answer ends that Galley itself could not take. It asks nobody anything. */
const showFailed =
  ({ config }: Pick<Services, 'config'>): RequestHandler<{ token: string }> =>
  (request, response) => {
    const again = connectAddresses(config.publicUrl, request.params.token).ask
    sendPage(response, unfinishedPage(again, isPasswordOrphaned(request)))
  }

const COOKIE = 'galley_connect'

function connectAddresses(publicUrl: string, token: string) {
  const ask = `${publicUrl}/connect/${encodeURIComponent(token)}`
  return {
    ask,
    approved: `${ask}/approved`,
    rejected: `${ask}/rejected`,
    connected: `${ask}/connected`,
    refused: `${ask}/refused`,
    failed: `${ask}/failed`,
  }
}

function nonceFromCookie(request: Request): string | undefined {
  const nonce = parseCookie(request.get('cookie') ?? '')[COOKIE]
  return nonce !== undefined && isToken(nonce) ? nonce : undefined
}

/** The state that this browser's answer must carry. `lax` lets the cookie come along from WordPress. */
function setConnectState(
  request: Request,
  response: Response,
  { token, expiresAt, publicUrl }: { token: string; expiresAt: Date; publicUrl: string },
): string {
  const nonce = nonceFromCookie(request) ?? createToken()
  const { protocol, pathname } = new URL(connectAddresses(publicUrl, token).ask)
  response.cookie(COOKIE, nonce, {
    path: pathname,
    expires: expiresAt,
    httpOnly: true,
    sameSite: 'lax',
    secure: protocol === 'https:',
  })
  return csrfState(token, nonce)
}

const isPasswordOrphaned = ({ query }: Pick<Request, 'query'>): boolean => query.left_over !== undefined

/** Whatever fails before an answer is looked at, the browser leaves the address with the new password, which nobody has read. */
const redirectToPlainAddress =
  ({ config, log }: Pick<Services, 'config' | 'log'>): ErrorRequestHandler<{ token: string }> =>
  (error, request, response, next) => {
    // Without a query there is no password in it, and nothing to leave.
    if (response.headersSent || !request.originalUrl.includes('?')) return next(error)
    log.warn({ err: error }, 'the answer to a connect link could not be processed')
    response.redirect(303, `${connectAddresses(config.publicUrl, request.params.token).failed}?left_over=1`)
  }

const connectErrorHandler: ErrorRequestHandler = (error, request, response, next) => {
  if (response.headersSent) return next(error)
  // The limit on guessing counts the unknown ones, and answers once there are too many.
  const { status, code, message } = beginErrorResponse(error, request, response)
  const known = code in endedPages ? endedPages[code as keyof typeof endedPages] : undefined
  // A site that cannot be found just now has no HTTP status of its own.
  const siteFailed = error instanceof GalleyError && error.httpStatus === 500
  const orphanedPassword = isPasswordOrphaned(request)
  if (known) return sendPage(response, orphanedPassword ? withOrphanedPasswordNote(known) : known)
  sendPage(
    response,
    siteFailed
      ? failedPage(503, error.message, orphanedPassword)
      : failedPage(status, message, orphanedPassword),
  )
}

/** Pages one client may open in a minute; each asks the site. */
const PAGES_PER_MINUTE = 60
const TOO_MANY_PAGES = 'Too many pages were opened from here. Wait a minute, then open the link again.'
/** Credentials one link may try in a minute: enough for a person's mistakes, too few to guess a password. */
const TRIES_PER_MINUTE = 10
const TOO_MANY_TRIES = 'Too many attempts with this link. Wait a minute, then open it again.'
