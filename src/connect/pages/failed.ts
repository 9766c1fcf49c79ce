import { html, nothing } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'
import { leftOverNote } from './left-over.ts'

/** Something else went wrong; the sentence says what. */
export const failedPage = (status: number, message: string, leftOver = false): Page => ({
  status,
  title: 'This did not work',
  body: html`<h1>This did not work</h1><p>${message}</p>
${leftOver ? leftOverNote : nothing}
<p class="soft">The link still works: open it again once this is settled.</p>`,
})

/** Galley itself failed at the owner's answer. */
export const unfinishedPage = ({ again, leftOver }: { again: string; leftOver: boolean }): Page => ({
  status: 503,
  title: 'This could not be finished',
  body: html`<h1>This could not be finished</h1>
<p>Galley could not take your answer just now. <a href="${again}">Open the link again</a> in a few minutes: it says
whether the site is connected, and lets you try again if it is not.</p>
${leftOver ? leftOverNote : nothing}`,
})
