import { html, nothing } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'
import { orphanedPasswordNote } from './orphaned-password.ts'

/** Something else went wrong; the sentence says what. */
export const failedPage = (status: number, message: string, orphanedPassword = false): Page => ({
  status,
  title: 'This did not work',
  body: html`<h1>This did not work</h1><p>${message}</p>
${orphanedPassword ? orphanedPasswordNote : nothing}
<p class="soft">The link still works: open it again once this is settled.</p>`,
})

/** Galley itself failed at the owner's answer. */
export const unfinishedPage = ({
  again,
  orphanedPassword,
}: {
  again: string
  orphanedPassword: boolean
}): Page => ({
  status: 503,
  title: 'This could not be finished',
  body: html`<h1>This could not be finished</h1>
<p>Galley could not take your answer just now. <a href="${again}">Open the link again</a> in a few minutes: it says
whether the site is connected, and lets you try again if it is not.</p>
${orphanedPassword ? orphanedPasswordNote : nothing}`,
})
