import { html } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'

/** Something else went wrong; the sentence says what. */
export const failedPage = (status: number, message: string): Page => ({
  status,
  title: 'This did not work',
  body: html`<h1>This did not work</h1><p>${message}</p>
<p class="soft">The link still works: open it again once that is mended.</p>`,
})
