import { type Html, html } from '../../pages/html.ts'

/** A WordPress user and an application password, entered by hand. */
export const credentialsForm = ({ action, state }: { action: string; state: string }): Html => html`
<form method="post" action="${action}">
<input type="hidden" name="state" value="${state}">
<p class="soft">In WordPress, under <em>Users → Profile → Application Passwords</em>, create one named Galley, and copy
it here. Your login password does not work.</p>
<label for="username">WordPress username</label>
<input id="username" name="user_login" required maxlength="200" autocomplete="username" autocapitalize="none" spellcheck="false">
<label for="password">Application password</label>
<input id="password" name="password" type="password" required maxlength="500" autocomplete="off" aria-describedby="looks">
<small id="looks">24 letters and digits, as in abcd efgh ijkl mnop qrst uvwx</small>
<button class="button">Connect</button>
</form>`
