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
  return {
    title: `${site.name} is connected`,
    body: html`
<h1>${site.name} is connected</h1>
<p>Galley writes to <a href="${site.url}" rel="noreferrer">${site.url}</a> as <strong>${site.username}</strong> from now on. You can close this
page.</p>
<div aria-live="polite">${report === 'waiting' ? waiting : report === null ? nothing : findings(report)}</div>
<p class="soft">To end it, delete Galley’s application password in WordPress, under <em>Users → Profile → Application
Passwords</em>.</p>`,
    ...(report === 'waiting' && { refresh: REFRESH_S }),
  }
}

const waiting = html`<p role="status">Galley is looking at what the site can take. This takes a few seconds …</p>`

const verdicts = {
  ok: 'Everything that Galley needs works.',
  warning: 'Posts will arrive. Some things are worth a look:',
  problem: 'Posts will not arrive yet. This stands in the way:',
} satisfies Record<SiteReport['level'], string>

function findings({ level, findings }: SiteReport): Html {
  const worth = findings.filter((finding) => finding.level !== 'ok')
  const fine = findings.filter((finding) => finding.level === 'ok')
  return html`
<h2>${verdicts[level]}</h2>
${worth.length === 0 ? nothing : html`<ul class="report">${worth.map(line)}</ul>`}
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
