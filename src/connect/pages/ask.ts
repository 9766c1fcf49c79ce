import { type Html, html, nothing } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'
import { nameInMessages } from '../../sites/connection.ts'
import type { OpenedLink } from '../open-link.ts'
import type { ConnectOptions } from '../options.ts'
import { credentialsForm } from './form.ts'
import { orphanedPasswordNote } from './orphaned-password.ts'

interface Asking {
  link: OpenedLink
  options: ConnectOptions
  /** Where the form goes, and what it proves itself with. */
  form: { action: string; state: string }
  /** Why the last try failed. */
  problem: string | undefined
  /** WordPress made a password for the last try, and it could not be taken back. */
  orphanedPassword: boolean
}

/** Who asks for what, and the way to say yes. */
export function askPage({ link, options, form, problem, orphanedPassword }: Asking): Page {
  const site = nameInMessages(link.row.url)
  return {
    title: `Connect ${site}`,
    body: html`
<h1>Connect ${site}</h1>
${problem === undefined ? nothing : html`<div class="note problem" role="alert"><p><strong>It is not connected yet.</strong> ${problem}</p></div>`}
${orphanedPassword ? orphanedPasswordNote : nothing}
<p>${
      link.askedBy === null
        ? html`Whoever sent you this link asks`
        : html`<strong>${link.askedBy}</strong> asks`
    } to connect <span class="site">${site}</span> to Galley, which puts finished documents on it as posts.</p>
<h2>What Galley will be able to do</h2>
<ul>
<li>write posts, and change those it wrote</li>
<li>add their pictures to the media library</li>
<li>use your categories and tags, and create missing ones</li>
</ul>
<p>It acts as the WordPress user you choose, with that user’s rights. An <em>editor</em> or an <em>author</em> is
enough; an administrator is more than it needs.</p>
${ways(site, options, { form: credentialsForm(form), open: problem !== undefined })}
<p class="soft">This page works once, until ${day(link.row.expiresAt)}. If you do not know who
${link.askedBy === null ? 'sent it' : html`${link.askedBy} is`}, close it: nothing happens.</p>`,
  }
}

/** The form is open at once after a failed try: whoever has used it is about to use it again. */
function ways(site: string, options: ConnectOptions, { form, open }: { form: Html; open: boolean }): Html {
  if (options.way === 'form') return html`<div class="note"><p>${whyNot[options.why]}</p></div>${form}`
  return html`
<p>Galley never sees your login. WordPress asks you, then creates a password for Galley alone, which you can delete
whenever you like.</p>
${options.insecureReturn ? html`<div class="note"><p>${insecureReturn}</p></div>` : nothing}
${
  options.elsewhere === null
    ? nothing
    : html`<div class="note"><p>${site} asks you to approve at <strong>${options.elsewhere}</strong>, which is another
address. Continue only if you know it as your own.</p></div>`
}
${options.hidden ? html`<div class="note"><p>${hidden(site)}</p></div>` : nothing}
<p><a class="button" href="${options.address}" rel="noreferrer">Continue to ${options.elsewhere ?? site}</a></p>
<details${options.hidden || open ? html` open` : nothing}>
<summary>Enter an application password instead</summary>
${form}
</details>`
}

const whyNot = {
  not_https: html`This site is not reached over https, and WordPress keeps application passwords switched off without
it. Ask your host to switch https on (most do it free of charge), set both addresses under <em>Settings → General</em>
to https, and open this page again. If the site has application passwords anyway, enter one here.`,
  switched_off: html`This site does not offer application passwords: a security plugin or a setting has switched them
off. Switch them on there (Wordfence, for one, has “Disable WordPress application passwords” among its login
options), and open this page again. If you have one already, enter it here.`,
} satisfies Record<Extract<ConnectOptions, { way: 'form' }>['why'], Html>

const hidden = (
  site: string,
): Html => html`${site} shows visitors no login page at the usual address: a plugin hides it, such
as WPS Hide Login. <strong>Log in to WordPress first</strong>, in this browser, at the address that you use for it. Then
come back here and continue, or enter an application password below.`

const insecureReturn = html`This Galley is not reached over https, and WordPress sends people back to such an address
only from a site that calls itself <code>local</code>. If WordPress says that the request is not allowed, come back here
and enter an application password below.`

const day = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
