import { type Html, html, nothing } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'
import { orphanedPasswordNote } from './orphaned-password.ts'

const ended = (status: number, title: string, text: Html, after: Html = nothing): Page => ({
  status,
  title,
  body: html`<h1>${title}</h1><p>${text}</p>${after}`,
})

/** Each way in which a link is not, or no longer, of use. By the code of the failure. */
export const endedPages = {
  CONNECT_LINK_UNKNOWN: ended(
    404,
    'There is no such link',
    html`Check that the address was copied whole, or ask whoever sent it for a new one.`,
  ),
  CONNECT_LINK_USED: ended(
    410,
    'This link has already been used',
    html`Each link connects one site, once. If that was you, all is well. If it was not, tell whoever sent you the link.`,
  ),
  CONNECT_LINK_EXPIRED: ended(
    410,
    'This link has expired',
    html`Links end after a while, so that a forgotten one does no harm. Ask whoever sent it for a new one.`,
  ),
  CONNECT_LINK_REVOKED: ended(
    410,
    'This link was withdrawn',
    html`Whoever sent it has withdrawn it. Ask them for a new one if you still want to connect the site.`,
  ),
  CONNECT_STATE_WRONG: ended(
    403,
    'This answer was not accepted',
    html`It belongs to another link, or was started in another browser, so nothing was connected. Open the link again and
go on from there, in one browser, with cookies allowed.`,
    orphanedPasswordNote,
  ),
} satisfies Record<string, Page>

/** The same page, for somebody whose WordPress has made a password on the way. */
export const withNote = (page: Page): Page => ({ ...page, body: html`${page.body}${orphanedPasswordNote}` })
