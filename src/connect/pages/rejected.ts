import { html } from '../../pages/html.ts'
import type { Page } from '../../pages/page.ts'

interface Rejected {
  site: string
  askedBy: string | null
  /** Where the link itself is, for a change of mind. */
  again: string
  /** WordPress offers this user no application password; nobody has said no. */
  disabled: boolean
}

/** The owner said no, or WordPress did. */
export const rejectedPage = ({ site, askedBy, again, disabled }: Rejected): Page => ({
  title: `${site} is not connected`,
  body: html`
<h1>${site} is not connected</h1>
<p>${
    disabled
      ? 'WordPress does not offer application passwords to the user you were logged in as: a plugin or a setting has switched them off. Nothing was connected.'
      : 'You said no, and that is all right: WordPress created no password, and Galley connected nothing.'
  } ${askedBy ?? 'Whoever sent you the link'} can see that.</p>
<p><a href="${again}">Back to the question</a>, ${
    disabled ? 'to use another user, or to enter an application password.' : 'if you change your mind.'
  }</p>`,
})
