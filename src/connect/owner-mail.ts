import type { Pool } from 'pg'
import { DEFAULT_ACCOUNT_NAME } from '../accounts/accounts.ts'
import { Semaphore } from '../bytes/budget.ts'
import { type OwnerReport, readOwnerReport } from '../delivery/api/site-states.ts'
import { refusal } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { CONCURRENCY_LIMITS } from '../notifications/claim.ts'
import type { MailContent } from '../notifications/mail/mail.ts'
import { mailNotConfiguredFailure, type SendComposed } from '../notifications/mail/mailer.ts'
import { html } from '../pages/page.ts'
import type { SiteId } from '../sites/connection.ts'
import { siteUnknown } from '../sites/registry.ts'
import { createConnectLink, type LinkContext, revokeConnectLink } from './links.ts'
import { type ConnectLinkWithAddress, type NewConnectLink, newConnectLinkSchema } from './schema.ts'

export interface OwnerMailContext extends LinkContext {
  pool: Pool
  /** Undefined where this Galley sends no mail. */
  mail?: SendComposed | undefined
}

/** A bulk job mails many owners at once, and mail servers take few connections. */
const mailPlaces = new Semaphore(CONCURRENCY_LIMITS.ofMail)

/** Mails a link to the owner of its site. It is kept and logged nowhere, so a mail that is refused is not sent again. */
export async function mailOwner(
  { prisma, pool, mail }: Pick<OwnerMailContext, 'prisma' | 'pool' | 'mail'>,
  accountId: string,
  { id, asked_by }: Pick<NewConnectLink, 'id' | 'asked_by'>,
  { link, expires_at, ...made }: Omit<ConnectLinkWithAddress, 'mailed'>,
): Promise<NonNullable<ConnectLinkWithAddress['mailed']>> {
  const report = id === undefined ? null : await readOwnerReport(pool, { accountId, id })
  if (!report?.ownerEmail) return { to: null, problem: OWNER_EMAIL_MISSING }
  if (mail === undefined) return { to: null, problem: mailNotConfiguredFailure }
  const account = await prisma.account.findUnique({ where: { id: accountId } })
  const named = account?.name === DEFAULT_ACCOUNT_NAME ? null : account?.name
  const to = report.ownerEmail
  const askedBy = asked_by ?? named ?? null
  const content = renderOwnerMail({ ...report, askedBy, link, expiresAt: new Date(expires_at) })
  const place = await mailPlaces.take(1)
  const { error } = await mail({ ...content, id: made.id, to, date: made.created_at }).finally(place.release)
  return error === null ? { to, problem: null } : { to: null, problem: error }
}

const OWNER_EMAIL_MISSING = {
  code: 'owner_email_missing',
  message:
    'The site has no e-mail address of its owner. Send the link yourself, or add the address to the settings of the site.',
}

const MAIL_UNCERTAIN = {
  code: 'mail_uncertain',
  message:
    'Galley was interrupted while it mailed this owner, and did not learn whether the mail was sent. Ask the owner, or mail them again by themselves.',
}

const notMailed = ({ code, message }: { code: string; message: string }) => refusal(code, message, 422)

/** The address of a site whose owner can be mailed. @throws GalleyError 404, 422 */
export async function assertOwnerMailable(
  { pool, mail }: Pick<OwnerMailContext, 'pool' | 'mail'>,
  site: SiteId,
): Promise<string> {
  const report = await readOwnerReport(pool, site)
  if (report === null) throw siteUnknown(site)
  if (!report.ownerEmail) throw notMailed(OWNER_EMAIL_MISSING)
  if (mail === undefined) throw notMailed(mailNotConfiguredFailure)
  return report.url
}

/**
 * Mails the owner of a connected site a new link to connect it again.
 * @param begunSince when a process may have begun to mail it that ended since: an owner is not mailed twice
 * @throws GalleyError where it was not mailed; nobody knows the link then, and it ends. 422 `MAIL_UNCERTAIN`
 */
export async function mailOwnerLink(
  context: OwnerMailContext,
  { accountId, id, begunSince }: SiteId & { begunSince?: Date | undefined },
): Promise<void> {
  const url = await assertOwnerMailable(context, { accountId, id })
  const begun = { accountId, createdAt: { gte: begunSince }, requested: { path: ['id'], equals: id } }
  if (begunSince !== undefined && (await context.prisma.connectLink.count({ where: begun })) > 0)
    throw notMailed(MAIL_UNCERTAIN)
  const requested = newConnectLinkSchema.omit({ mail_owner: true }).parse({ id, url })
  const made = await createConnectLink(context, { accountId, ...requested })
  const { problem } = await mailOwner(context, accountId, requested, made)
  if (problem === null) return
  await revokeConnectLink(context.prisma, { accountId, id: made.id })
  throw notMailed(problem)
}

interface OwnerMail extends OwnerReport {
  /** Who asks, by the name that the owner knows. */
  askedBy: string | null
  link: string
  expiresAt: Date
}

function renderOwnerMail(mail: OwnerMail): MailContent {
  const { name, url, askedBy, happened, since, waiting, waitingMore, link, expiresAt } = mail
  const sender = askedBy ?? 'Whoever delivers documents to it'
  const documents = pluralize(waiting, 'document', waitingMore ? 'or more documents' : 'documents')
  const waits = `${documents} ${waiting === 1 ? 'is' : 'are'} waiting`
  const subject = `Please connect ${oneLine(name)} again${waiting > 0 ? `: ${waits}` : ''}`
  const stopped = `${sender} cannot deliver to ${oneLine(name)} (${url})${since === null ? '' : ` since ${inWords(since)}`}.`
  const before = [
    [stopped, happened && oneLine(happened), waiting > 0 && `${waits}.`].filter(Boolean).join(' '),
    'To connect the site again, open this link and approve Galley in WordPress. You log in there as usual; there is no password to copy:',
  ]
  const after = [
    `The link works once, until ${inWords(expiresAt)}. Anyone who has it can use it, so do not share it.`,
    `${sender} uses Galley, which delivers finished documents to WordPress. If this surprises you, ask them before you open the link.`,
  ]
  return {
    subject,
    text: [...before, link, ...after].join('\n\n'),
    html: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head><body>
${before.map((line) => html`<p>${line}</p>\n`)}<p><a href="${link}">${link}</a></p>
${after.map((line) => html`<p>${line}</p>\n`)}</body></html>`.text,
  }
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const inWords = (at: Date): string => `${dates.format(at)} UTC`
