import { emptyHtml, Html, html, type Page } from '../pages/page.ts'
import { nameInMessages } from '../sites/connection.ts'
import type { SiteReport } from '../sites/health/report.ts'
import type { ConnectOptions } from './connect.ts'
import type { OpenedLink } from './links.ts'

interface AskPageOptions {
  link: OpenedLink
  options: ConnectOptions
  form: { action: string; state: string }
  problem: string | undefined
  /** The last try left a password on the site that could not be revoked. */
  orphanedPassword: boolean
}

export function askPage({ link, options, form, problem, orphanedPassword }: AskPageOptions): Page {
  const site = nameInMessages(link.row.url)
  const title = html`Connect ${site}`
  const { askedBy, row } = link
  const who =
    askedBy === null
      ? html`<p>Whoever sent you this link asks to connect <span class="site">${site}</span> to Galley, which puts
finished documents on it as posts.</p>`
      : html`<p><strong>${askedBy}</strong> asks to connect <span class="site">${site}</span> to Galley, which puts
finished documents on it as posts.</p>`
  const close =
    askedBy === null
      ? html`If you do not know who sent it, close it: nothing happens.`
      : html`If you do not know who ${askedBy} is, close it: nothing happens.`
  return {
    title,
    body: html`
<h1>${title}</h1>
${problem === undefined ? emptyHtml : html`<div class="note problem" role="alert"><p><strong>It is not connected yet.</strong> ${{ said: problem }}</p></div>`}
${orphanedPassword ? orphanedPasswordNote : emptyHtml}
${who}
${html`<h2>What Galley will be able to do</h2>
<ul>
<li>write posts, and change those it wrote</li>
<li>add their pictures to the media library</li>
<li>use your categories and tags, and create missing ones</li>
</ul>
<p>It acts as the WordPress user you choose, with that user’s rights. An <em>editor</em> or an <em>author</em> is
enough; an administrator is more than it needs.</p>`}
${connectWays(site, options, { form: credentialsForm(form), open: problem !== undefined })}
<p class="soft">${html`This page works once, until ${row.expiresAt}.`} ${close}</p>`,
  }
}

/** The form is open after a failed try, which probably used it. */
function connectWays(site: string, options: ConnectOptions, { form, open }: { form: Html; open: boolean }) {
  if (options.way === 'form') return html`<div class="note"><p>${WHY_NOT[options.why]}</p></div>${form}`
  return html`
${html`<p>Galley never sees your login. WordPress asks you, then creates a password for Galley alone,
which you can delete whenever you like.</p>`}
${options.insecureReturn ? html`<div class="note"><p>${insecureReturnNote}</p></div>` : emptyHtml}
${
  options.elsewhere === null
    ? emptyHtml
    : html`<div class="note"><p>${html`${site} asks you to approve at <strong>${options.elsewhere}</strong>, which is
another address. Continue only if you know it as your own.`}</p></div>`
}
${options.hidden ? html`<div class="note"><p>${hiddenFields(site)}</p></div>` : emptyHtml}
<p><a class="button" href="${options.address}" rel="noreferrer">${html`Continue to ${options.elsewhere ?? site}`}</a></p>
<details${options.hidden || open ? new Html([' open']) : emptyHtml}>
<summary>${html`Enter an application password instead`}</summary>
${form}
</details>`
}

const WHY_NOT = {
  not_https: html`This site is not reached over https, and WordPress keeps application passwords switched off without
it. Ask your host to switch https on (most do it free of charge), set both addresses under <em>Settings → General</em>
to https, and open this page again. If the site has application passwords anyway, enter one here.`,
  https_unseen: html`This site is reached over https, and its WordPress does not know that, so it keeps application
passwords switched off. Ask your host to tell it: behind a proxy, <code>wp-config.php</code> has to set
<code>$_SERVER['HTTPS']</code> to <code>on</code>. Set both addresses under <em>Settings → General</em> to https, and open this
page again. If the site has application passwords anyway, enter one here.`,
  switched_off: html`This site does not offer application passwords: a security plugin or a setting has switched them
off. Switch them on there (Wordfence, for one, has “Disable WordPress application passwords” among its login
options), and open this page again. If you have one already, enter it here.`,
} satisfies Record<Extract<ConnectOptions, { way: 'form' }>['why'], Html>

const hiddenFields = (
  site: string,
): Html => html`${site} shows visitors no login page at the usual address: a plugin hides it, such
as WPS Hide Login. <strong>Log in to WordPress first</strong>, in this browser, at the address that you use for it. Then
come back here and continue, or enter an application password below.`

const insecureReturnNote = html`This Galley is not reached over https, and WordPress sends people back to such an address
only from a site that calls itself <code>local</code>. If WordPress says that the request is not allowed, come back here
and enter an application password below.`

const credentialsForm = ({ action, state }: { action: string; state: string }): Html => html`
<form method="post" action="${action}">
<input type="hidden" name="state" value="${state}">
<p class="soft">${html`In WordPress, under <em>Users → Profile → Application Passwords</em>, create one named Galley, and copy
it here. Your login password does not work.`}</p>
<label for="username">${html`WordPress username`}</label>
<input id="username" name="user_login" required maxlength="200" autocomplete="username" autocapitalize="none" spellcheck="false">
<label for="password">${html`Application password`}</label>
<input id="password" name="password" type="password" required maxlength="500" autocomplete="off" aria-describedby="looks">
<small id="looks">${html`24 letters and digits, as in abcd efgh ijkl mnop qrst uvwx`}</small>
<button class="button">${html`Connect`}</button>
</form>`

interface RejectedPageOptions {
  site: string
  askedBy: string | null
  again: string
  /** WordPress offers this user no application passwords; the owner did not decline. */
  disabled: boolean
}

export function rejectedPage({ site, askedBy, again, disabled }: RejectedPageOptions): Page {
  const title = html`${site} is not connected`
  const why = disabled
    ? html`WordPress does not offer application passwords to the user you were logged in as: a plugin or a setting has
switched them off. Nothing was connected.`
    : html`You said no, and that is all right: WordPress created no password, and Galley connected nothing.`
  const seen =
    askedBy === null ? html`Whoever sent you the link can see that.` : html`${askedBy} can see that.`
  const back = disabled
    ? html`<a href="${again}">Back to the question</a>, to use another user, or to enter an application password.`
    : html`<a href="${again}">Back to the question</a>, if you change your mind.`
  return { title, body: html`<h1>${title}</h1><p>${why} ${seen}</p><p>${back}</p>` }
}

interface ConnectedPageOptions {
  site: { name: string; url: string; username: string }
  /** The doctor's report; `waiting` while it runs, null where it did not arrive. */
  report: SiteReport | 'waiting' | null
}

const REFRESH_S = 2

export function connectedPage({ site, report }: ConnectedPageOptions): Page {
  const blocked = report !== null && report !== 'waiting' && report.level === 'problem'
  const title = blocked
    ? html`${site.name} is connected, but cannot take posts yet`
    : html`${site.name} is connected`
  const { url, username } = site
  const writes = blocked
    ? html`Galley is to write to <a href="${url}" rel="noreferrer">${url}</a> as <strong>${username}</strong>.`
    : html`Galley writes to <a href="${url}" rel="noreferrer">${url}</a> as <strong>${username}</strong> from now on.`
  return {
    title,
    body: html`
<h1>${title}</h1>
<p>${writes} ${blocked || report === 'waiting' ? emptyHtml : html`You can close this page.`}</p>
<div aria-live="polite">${report === 'waiting' ? waitingNote : report === null ? emptyHtml : findingList(report)}</div>
<p class="soft">${html`To end it, delete Galley’s application password in WordPress, under <em>Users → Profile → Application
Passwords</em>.`}</p>`,
    ...(report === 'waiting' && { refresh: REFRESH_S }),
  }
}

const waitingNote = html`<p role="status">Galley is looking at what the site can take. This takes a few seconds …</p>`

/** The used link cannot fix a finding. */
const withAnotherLink = html`<p>To connect another WordPress user, ask whoever sent you the link for a new one: this one has been
used.</p>`

const VERDICTS = {
  ok: html`Everything that Galley needs works.`,
  warning: html`Posts will arrive. Some things are worth a look:`,
  problem: html`Posts will not arrive yet. This is in the way:`,
} satisfies Record<SiteReport['level'], Html>

function findingList({ level, findings }: SiteReport): Html {
  const worth = (['problem', 'warning'] as const).flatMap((wanted) =>
    findings.filter((finding) => finding.level === wanted),
  )
  const fine = findings.filter((finding) => finding.level === 'ok')
  return html`
<h2>${VERDICTS[level]}</h2>
${worth.length === 0 ? emptyHtml : html`<ul class="report">${worth.map(findingLine)}</ul>`}
${level === 'problem' ? withAnotherLink : emptyHtml}
<details><summary>${html`What was fine (${fine.length})`}</summary><ul class="report">${fine.map(findingLine)}</ul></details>`
}

const LEVEL_WORDS = {
  ok: html`Fine.`,
  warning: html`Worth a look.`,
  problem: html`In the way.`,
} satisfies Record<SiteReport['level'], Html>

const findingLine = ({ level, seen, means, todo }: SiteReport['findings'][number]): Html => html`
<li><span class="level ${level}">${LEVEL_WORDS[level]}</span>${{ said: seen }}
<p class="soft">${{ said: means }}</p>
${todo === null || todo === '' ? emptyHtml : html`<p>${{ said: todo }}</p>`}</li>`

/** WordPress creates the password before it redirects; shown where Galley could not revoke it. */
const orphanedPasswordNote: Html = html`<p class="soft">WordPress has created a password for Galley that is not used. Delete
it there, under <em>Users → Profile → Application Passwords</em>: it is the newest one whose name begins with
<em>Galley</em>.</p>`

const endedPage = (status: number, title: Html, text: Html, after: Html = emptyHtml): Page => ({
  status,
  title,
  body: html`<h1>${title}</h1><p>${text}</p>${after}`,
})

export const endedPages = {
  CONNECT_LINK_UNKNOWN: endedPage(
    404,
    html`There is no such link`,
    html`Check that the address was copied whole, or ask whoever sent it for a new one.`,
  ),
  CONNECT_LINK_USED: endedPage(
    410,
    html`This link has already been used`,
    html`Each link connects one site, once. If that was you, all is well. If it was not, tell whoever sent you the link.`,
  ),
  CONNECT_LINK_EXPIRED: endedPage(
    410,
    html`This link has expired`,
    html`Links end after a while, so that a forgotten one does no harm. Ask whoever sent it for a new one.`,
  ),
  CONNECT_LINK_REVOKED: endedPage(
    410,
    html`This link was withdrawn`,
    html`Whoever sent it has withdrawn it. Ask them for a new one if you still want to connect the site.`,
  ),
  CONNECT_STATE_WRONG: endedPage(
    403,
    html`This answer was not accepted`,
    html`It belongs to another link, or was started in another browser, so nothing was connected. Open the link again and
go on from there, in one browser, with cookies allowed.`,
    orphanedPasswordNote,
  ),
} satisfies Record<string, Page>

export const withOrphanedPasswordNote = (page: Page): Page => ({
  ...page,
  body: html`${page.body}${orphanedPasswordNote}`,
})

export const failedPage = (status: number, message: string, orphanedPassword = false): Page => ({
  status,
  title: didNotWork,
  body: html`<h1>${didNotWork}</h1><p>${{ said: message }}</p>
${orphanedPassword ? orphanedPasswordNote : emptyHtml}
<p class="soft">${html`The link still works: open it again once this is settled.`}</p>`,
})

const didNotWork = html`This did not work`

export const unfinishedPage = (again: string, orphanedPassword: boolean): Page => ({
  status: 503,
  title: html`This could not be finished`,
  body: html`<h1>${html`This could not be finished`}</h1>
<p>${html`Galley could not take your answer just now. <a href="${again}">Open the link again</a> in a few minutes: it says
whether the site is connected, and lets you try again if it is not.`}</p>
${orphanedPassword ? orphanedPasswordNote : emptyHtml}`,
})
