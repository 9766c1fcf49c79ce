import { type Html, html } from '../../pages/html.ts'

/** WordPress makes the password before it sends the owner back: said where Galley could not take it back. */
export const orphanedPasswordNote: Html = html`<p class="soft">WordPress has created a password for Galley that is not used. Delete
it there, under <em>Users → Profile → Application Passwords</em>: it is the newest one whose name begins with
<em>Galley</em>.</p>`
