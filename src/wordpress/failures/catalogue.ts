import { trimEndOf } from '../../lib/text.ts'
import type { FailureDefinition } from './types.ts'

type Happened = FailureDefinition['happened']

/** The site as a whole does not work. It is paused, and its deliveries lose no attempt. */
const siteFailure = (effect: FailureDefinition['effect'], happened: Happened, todo: string) =>
  ({ fault: 'site', action: 'retry', effect, happened, todo }) satisfies FailureDefinition

const siteFailures = {
  site_error: siteFailure(
    'unknown',
    ({ site, doing, status, said }) =>
      status === 503
        ? `${site} says that it is not available (HTTP 503) while ${doing}${quotedClause(said)}.`
        : `${site} failed with a server error (HTTP ${status}) while ${doing}${quotedClause(said)}.`,
    "Check the server's error log. If the site works in a browser, ask its host whether a firewall refuses Galley.",
  ),
  php_fatal_error: siteFailure(
    'unknown',
    ({ site, doing, said }) =>
      `WordPress on ${site} crashed with a PHP error while ${doing}${quotedClause(said)}.`,
    'Usually a plugin or the theme is to blame: the PHP error log names the file.',
  ),
  database_down: siteFailure(
    'unknown',
    ({ site }) => `WordPress on ${site} cannot reach its database.`,
    'Ask its host to check the database server, and DB_HOST in wp-config.php.',
  ),
  maintenance_mode: siteFailure(
    'none',
    ({ site }) => `${site} is in maintenance mode.`,
    'Galley continues when it is over; if it never ends, delete the file .maintenance in the WordPress folder.',
  ),
  maintenance_page: siteFailure(
    'none',
    ({ site, said }) => `${site} is closed for maintenance, by a plugin or its host${quotedClause(said)}.`,
    'Galley continues when it is over. To let it continue before that, allow signed-in users to reach the REST API (/wp-json/) in whatever closes the site, and check the username and the application password: a login that is not recognised gets the same answer.',
  ),
  rate_limited: siteFailure(
    'none',
    ({ site, found }) => `${site} asks for fewer requests (HTTP 429${found ? `, ${found}` : ''}).`,
    "Deliveries continue by themselves; to connect, try again in some minutes. If it comes often, lower the site's concurrency, or ask its host to let Galley's address send more.",
  ),
  locked_out: siteFailure(
    'none',
    ({ site, said }) =>
      `${site} has locked Galley out for a while, after too many failed logins${quotedClause(said)}.`,
    'Galley continues when that time is over. To continue at once, allow its address in the plugin that limits logins; if this happens again, check the username and the application password.',
  ),
  gateway_error: siteFailure(
    'unknown',
    ({ site, doing, status, found }) =>
      `The web server in front of ${site} got no answer from WordPress while ${doing} (HTTP ${status}${found ? `, ${found}` : ''}).`,
    'PHP may be overloaded or stopped; ask the host.',
  ),
  redirected: siteFailure(
    'none',
    ({ site, found }) =>
      `${site} now redirects its REST API to ${found ?? 'another address'}, and credentials are not sent after it.`,
    'Connect the site again at its new address. If that is a page of the site, or differs from the old one only by a slash or a language, a plugin or a rule on its server redirects requests there: exclude the REST API (/wp-json/) from it.',
  ),
  parking_page: siteFailure(
    'none',
    ({ site, found }) =>
      `${site} shows a domain parking page${found ? ` (${found})` : ''} where WordPress used to be.`,
    'Check whether the domain has expired or its DNS has changed.',
  ),
  account_suspended: siteFailure(
    'none',
    ({ site, found }) => `The host of ${site} has suspended it${found ? ` (“${found}”)` : ''}.`,
    'Ask the host why, and to switch the site on again.',
  ),
  login_wall: siteFailure(
    'none',
    ({ site, found }) => `${site} puts a login in front of its REST API (${found ?? 'a login page'}).`,
    "Exempt /wp-json/ from that protection, or let Galley's address through. If it is the login of WordPress, also check the username and the application password: a login that is not recognised gets the same answer.",
  ),
  rest_api_disabled: siteFailure(
    'none',
    ({ site, said }) => `The REST API of ${site} is switched off${quotedClause(said)}.`,
    'A security plugin usually does that: allow it for logged-in users.',
  ),
  rest_route_missing: siteFailure(
    'none',
    ({ site, doing }) => `${site} has no REST route for ${doing}.`,
    'Check that the post type that the site’s setting “post_type” names is still there and shown in the REST API, and that no plugin removes routes; or change that setting.',
  ),
  not_found: siteFailure(
    'none',
    ({ site, status }) =>
      `The REST API of ${site} is not where it was (HTTP ${status}, a page instead of JSON).`,
    'Permalinks may have changed: check the site in Galley, or save Settings → Permalinks in WordPress.',
  ),
  answer_unreadable: siteFailure(
    'unknown',
    ({ site, doing, status, found }) =>
      `${site} answered with something that is not JSON while ${doing} (HTTP ${status}${found ? `: ${found}` : ''}).`,
    'A plugin or the server corrupts the answers of the REST API.',
  ),
  answer_unexpected: siteFailure(
    'unknown',
    ({ site, doing, found }) =>
      `${site} answered with JSON that WordPress does not send while ${doing} (${found ?? 'fields are missing'}).`,
    "A plugin changes the REST API's answers.",
  ),
} satisfies Record<string, FailureDefinition>

/** `: “…”`, or nothing: what WordPress said, for the end of a clause. */
const quotedClause = (said: string | undefined): string => (said ? `: “${trimEndOf(said, '. \t\r\n')}”` : '')

/** ` (ray 8f2…)`, or nothing: what the site's host searches its log for. */
const referenceClause = (reference: string | undefined): string => (reference ? ` (${reference})` : '')

/** `unknown`, because some firewalls read the answer and block it after WordPress has done its work. */
const firewallFailure = (happened: Happened, todo: string) => siteFailure('unknown', happened, todo)

/** @param product and where it stands, before the name of the site */
const blockedBy = (where: (site: string) => string, todo: string) =>
  firewallFailure(
    ({ site, doing, reference }) =>
      `${where(site)} blocked Galley while ${doing}${referenceClause(reference)}.`,
    todo,
  )

export const firewallFailures = {
  firewall_cloudflare: blockedBy(
    (site) => `Cloudflare in front of ${site}`,
    "In Cloudflare, under Security → Events, find this and add a rule that skips /wp-json/ for Galley's address.",
  ),
  cloudflare_challenge: firewallFailure(
    ({ site, reference }) =>
      `Cloudflare in front of ${site} asks for a browser check, which no program can pass${referenceClause(reference)}.`,
    'Add a Cloudflare rule that skips challenges for /wp-json/.',
  ),
  firewall_wordfence: blockedBy(
    (site) => `The Wordfence plugin on ${site}`,
    "In WordPress, under Wordfence → Firewall, allow Galley's address or allowlist the blocked request.",
  ),
  firewall_modsecurity: blockedBy(
    (site) => `ModSecurity on the server of ${site}`,
    'Ask the host to exempt /wp-json/ from the rule that its log names.',
  ),
  firewall_sucuri: blockedBy(
    (site) => `The Sucuri firewall in front of ${site}`,
    "In Sucuri, allow Galley's address under Access Control.",
  ),
  firewall_imunify: blockedBy(
    (site) => `Imunify360 on the server of ${site}`,
    "Ask the host to put Galley's address on its white list.",
  ),
  firewall_captcha: firewallFailure(
    ({ site, found }) =>
      `${site} answers with a captcha${found ? ` (${found})` : ''}, which no program can solve.`,
    "Ask the host to exempt /wp-json/ or Galley's address.",
  ),
  firewall_challenge: firewallFailure(
    ({ site, doing, status, by, reference }) =>
      `${by ?? 'Something'} in front of ${site} asked for a browser check while ${doing} (HTTP ${status}), which no program can pass${referenceClause(reference)}.`,
    "Ask its host to exempt /wp-json/ or Galley's address from that check.",
  ),
  firewall_blocked: firewallFailure(
    ({ site, doing, status, found, said, by, reference }) =>
      `${by ?? 'Something in front of WordPress'} on ${site} refused Galley while ${doing} (HTTP ${status}${found ? `, ${found}` : ''})${quotedClause(said)}${referenceClause(reference)}.`,
    "It is a firewall or a security plugin, not the password: allow Galley's address there, or ask the host to let it through to /wp-json/.",
  ),
} satisfies Record<string, FailureDefinition>

/** Waits for the site's owner; nothing was changed, since WordPress checks before it acts. */
const ownerFailure = (happened: Happened, todo: string) =>
  ({ fault: 'owner', action: 'owner', effect: 'none', happened, todo }) satisfies FailureDefinition

/** As above; connecting the site again mends it, or may. */
const reconnectFailure = (...failure: Parameters<typeof ownerFailure>) =>
  ({ ...ownerFailure(...failure), reconnect: true }) satisfies FailureDefinition

const ownerFailures = {
  authorization_stripped: ownerFailure(
    ({ site }) =>
      `The server of ${site} removes the Authorization header, so WordPress never sees Galley's credentials.`,
    'Ask its host to pass the header on to PHP (for Apache: CGIPassAuth On, or a rewrite rule that sets HTTP_AUTHORIZATION).',
  ),
  password_wrong: reconnectFailure(
    ({ site, said }) =>
      `${site} does not accept the application password for this username${quotedClause(said)}.`,
    'It may belong to another user, or have been revoked: connect the site again with the user’s login name and a new application password.',
  ),
  username_unknown: reconnectFailure(
    ({ site, said, username }) =>
      username === undefined
        ? `${site} has no user by the name given${quotedClause(said)}.`
        : `${site} does not accept this username and application password, and shows no user by the name “${username}”.`,
    "Connect the site again with the user's login name, which is shown in WordPress under Users. If the name is right, create a new application password.",
  ),
  application_passwords_off: reconnectFailure(
    ({ site, said }) => `Application passwords are switched off on ${site}${quotedClause(said)}.`,
    'They need https, and a plugin may switch them off: for everybody (Wordfence, unless its option “Disable WordPress application passwords” is off; All In One Security by “Disable application password”), or for this user (Disable Application Passwords for Humans, for whoever has logged in once). Allow them, or, where it is this user alone, give Galley one of its own that nobody logs in as; then connect again.',
  ),
  https_unseen: reconnectFailure(
    ({ site }) =>
      `WordPress on ${site} does not know that it is reached over https, so it keeps application passwords switched off.`,
    "A proxy in front of it ends the encryption: have its host set $_SERVER['HTTPS'] to “on” in wp-config.php, set both addresses under Settings → General to https, then connect again.",
  ),
  not_logged_in: reconnectFailure(
    ({ site, said, username }) =>
      `${site} treats Galley as a visitor, and does not say why${quotedClause(said)}${username === undefined ? '' : `; it has a user by the name “${username}”`}.`,
    'The username or the application password is wrong, or application passwords are switched off for this user, or the server removes the Authorization header. Connect the site again with the login name that is shown under Users in WordPress and a new application password; if WordPress offers none, a plugin has switched them off for the user. If the new one is refused too, ask the host to pass the header on to PHP (for Apache: CGIPassAuth On, or a rewrite rule that sets HTTP_AUTHORIZATION).',
  ),
  visitors_refused: reconnectFailure(
    ({ site, said }) =>
      `A plugin on ${site} refuses requests to the REST API before WordPress has checked who is signing in${quotedClause(said)}.`,
    'All In One Security does that by its option “Disallow unauthorized REST requests”: switch it off. If it is off, connect the site again with a new application password.',
  ),
  not_wordpress: ownerFailure(
    ({ site, found }) =>
      `At ${site} there is no WordPress with a REST API; it shows ${found ?? 'something else'}.`,
    'Enter the address where the blog itself is read.',
  ),
  https_expected: ownerFailure(
    ({ site }) => `The server at ${site} expects https and was called over plain http.`,
    'Give the address with https://.',
  ),
  rights_missing: reconnectFailure(
    ({ site, doing, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to do this: ${doing}${quotedClause(said)}.`,
    'Give that user a role that allows it, or connect the site as another user. If its role does, a security plugin refuses Galley: find the one whose words these are, and let it exempt that user, or Galley’s address.',
  ),
  cannot_publish: ownerFailure(
    ({ site, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to publish${quotedClause(said)}.`,
    'Make the user an author or editor, or let the site take pending posts.',
  ),
  cannot_upload: ownerFailure(
    ({ site, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to upload files${quotedClause(said)}.`,
    'Make the user an author or editor.',
  ),
  cannot_create_terms: ownerFailure(
    ({ site, said }) =>
      `The WordPress user Galley signs in as on ${site} is not allowed to create categories or tags${quotedClause(said)}.`,
    'Make the user an editor, or create the terms in WordPress first.',
  ),
  setting_refused: ownerFailure(
    ({ site, setting, said }) =>
      `${site} does not accept what the site’s setting “${setting}” names${quotedClause(said)}.`,
    'It was probably removed in WordPress: change that setting of the site in Galley, and what waits for the site continues.',
  ),
} satisfies Record<string, FailureDefinition>

/** This document, picture or term is refused; the site works. */
const deliveryFailure = (happened: Happened, todo: string) =>
  ({ fault: 'delivery', action: 'permanent', effect: 'none', happened, todo }) satisfies FailureDefinition

const deliveryFailures = {
  post_gone: deliveryFailure(
    ({ site, doing }) => `The post on ${site} is no longer there (while ${doing}): somebody deleted it.`,
    'Retry the delivery to create it again.',
  ),
  trash_off: {
    ...deliveryFailure(
      ({ site }) =>
        `${site} has no trash: WordPress would delete the post for good there, so it stays as it is.`,
      'Withdraw the post to a draft, or delete it in WordPress itself.',
    ),
    action: 'owner',
  },
  media_gone: deliveryFailure(
    ({ site, doing }) => `The file in the media library of ${site} is no longer there (while ${doing}).`,
    'Somebody deleted it; retry the delivery to upload it again.',
  ),
  term_gone: deliveryFailure(
    ({ site, doing }) => `The category or tag on ${site} is no longer there (while ${doing}).`,
    'Retry the delivery to look it up again.',
  ),
  term_exists: deliveryFailure(
    ({ site }) => `${site} has this category or tag already.`,
    'Galley uses the existing one.',
  ),
  term_slug_taken: deliveryFailure(
    ({ site, said }) => `${site} has another category or tag with the same slug${quotedClause(said)}.`,
    'Rename one of them.',
  ),
  field_refused: deliveryFailure(
    ({ site, doing, said }) => `WordPress on ${site} refused a field while ${doing}${quotedClause(said)}.`,
    "Fix the document or the site's settings, then retry.",
  ),
  upload_too_big: deliveryFailure(
    ({ site, said }) => `The file is larger than ${site} accepts${quotedClause(said)}.`,
    'Raise upload_max_filesize and post_max_size in PHP, or use a smaller file.',
  ),
  upload_quota_full: deliveryFailure(
    ({ site, said }) => `The upload space of ${site} is used up${quotedClause(said)}.`,
    "Free some, or raise the site's quota.",
  ),
  upload_refused: deliveryFailure(
    ({ site, said }) => `WordPress on ${site} did not store the file${quotedClause(said)}.`,
    'Its type is not allowed there, or wp-content/uploads or PHP’s temporary folder cannot be written, or PHP takes no uploads (file_uploads in php.ini).',
  ),
  value_refused: {
    fault: 'delivery',
    action: 'owner',
    effect: 'none',
    happened: ({ site, doing, said, found }) =>
      `The database of ${site} does not take ${found ?? 'a value'} while ${doing}${quotedClause(said)}.`,
    todo: 'Take it out of the document, or have the tables of WordPress converted to utf8mb4, then retry this delivery.',
  },
  answer_of_another: {
    fault: 'delivery',
    action: 'owner',
    // Held at once, and by its intent looked for when it is retried.
    effect: 'none',
    happened: ({ site, doing, found }) =>
      `${site} gave an answer that belongs to another request while ${doing}${found ? ` (${found})` : ''}, as a cache does.`,
    todo: 'Exclude /wp-json/ from what the caching plugin, the web server or the CDN of the site keeps, then check the site and retry this delivery.',
  },
  request_refused: {
    fault: 'delivery',
    action: 'permanent',
    effect: 'unknown',
    happened: ({ site, doing, status, said }) =>
      `WordPress on ${site} refused while ${doing} (HTTP ${status})${quotedClause(said)}.`,
    todo: 'A plugin may impose rules of its own.',
  },
} satisfies Record<string, FailureDefinition>

/** Every failure a WordPress site can answer with. The codes are published: they never change. */
export const wordPressFailures = {
  ...siteFailures,
  ...firewallFailures,
  ...ownerFailures,
  ...deliveryFailures,
} satisfies Record<string, FailureDefinition>

export type FailureCode = keyof typeof wordPressFailures
