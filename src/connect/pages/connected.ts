import { type Html, html, nothing } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'
import type { SiteReport } from '../../sites/health/report.ts'

interface Connected {
  site: { name: string; url: string; username: string }
  /** What the doctor found; `waiting` while it looks, null where it did not come. */
  report: SiteReport | 'waiting' | null
}

const REFRESH_S = 2

/** It is done; and what the doctor found. */
export function connectedPage({ site, report }: Connected): Page {
  const blocked = report !== null && report !== 'waiting' && report.level === 'problem'
  const title = blocked ? `${site.name} is connected, but cannot take posts yet` : `${site.name} is connected`
  return {
    title,
    body: html`
<h1>${title}</h1>
<p>Galley ${blocked ? 'is to write' : 'writes'} to <a href="${site.url}" rel="noreferrer">${site.url}</a> as <strong>${site.username}</strong>${blocked ? nothing : ' from now on'}.${
      blocked || report === 'waiting' ? nothing : ' You can close this page.'
    }</p>
<div aria-live="polite">${report === 'waiting' ? waiting : report === null ? nothing : findings(report)}</div>
<p class="soft">To end it, delete Galley’s application password in WordPress, under <em>Users → Profile → Application
Passwords</em>.</p>`,
    ...(report === 'waiting' && { refresh: REFRESH_S }),
  }
}

const waiting = html`<p role="status">Galley is looking at what the site can take. This takes a few seconds …</p>`

/** The link that led here has been used up, so no finding is settled with it. */
const withAnotherLink = html`<p>To connect another WordPress user, ask whoever sent you the link for a new one: this one has been
used.</p>`

const verdicts = {
  ok: 'Everything that Galley needs works.',
  warning: 'Posts will arrive. Some things are worth a look:',
  problem: 'Posts will not arrive yet. This is in the way:',
} satisfies Record<SiteReport['level'], string>

function findings({ level, findings }: SiteReport): Html {
  // What stands in the way comes before what is only worth a look.
  const worth = (['problem', 'warning'] as const).flatMap((wanted) =>
    findings.filter((finding) => finding.level === wanted),
  )
  const fine = findings.filter((finding) => finding.level === 'ok')
  return html`
<h2>${verdicts[level]}</h2>
${worth.length === 0 ? nothing : html`<ul class="report">${worth.map(line)}</ul>`}
${level === 'problem' ? withAnotherLink : nothing}
<details><summary>What was fine (${fine.length})</summary><ul class="report">${fine.map(line)}</ul></details>`
}

const levels = { ok: 'Fine.', warning: 'Worth a look.', problem: 'In the way.' } satisfies Record<
  SiteReport['level'],
  string
>

const line = ({ level, seen, means, todo }: SiteReport['findings'][number]): Html => html`
<li><span class="level ${level}">${levels[level]}</span>${seen}
<p class="soft">${means}</p>
${todo === null || todo === '' ? nothing : html`<p>${todo}</p>`}</li>`
