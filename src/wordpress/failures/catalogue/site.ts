import type { Failure } from '../types.ts'
import { quoted } from './words.ts'

/** The site as a whole does not work. It is paused, and its deliveries lose no attempt. */
export const siteFailures = {
  site_error: {
    fault: 'site',
    action: 'retry',
    effect: 'unknown',
    happened: ({ site, doing, status, said }) =>
      `${site} failed with a server error (HTTP ${status}) while ${doing}${quoted(said)}.`,
    todo: "Check the server's error log.",
  },
  php_fatal_error: {
    fault: 'site',
    action: 'retry',
    effect: 'unknown',
    happened: ({ site, doing, said }) =>
      `WordPress on ${site} crashed with a PHP error while ${doing}${quoted(said)}.`,
    todo: 'Usually a plugin or the theme is to blame: the PHP error log names the file.',
  },
  database_down: {
    fault: 'site',
    action: 'retry',
    effect: 'unknown',
    happened: ({ site }) => `WordPress on ${site} cannot reach its database.`,
    todo: 'Ask its host to check the database server, and DB_HOST in wp-config.php.',
  },
  maintenance_mode: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site }) => `${site} is in maintenance mode.`,
    todo: 'Galley continues when it is over; if it never ends, delete the file .maintenance in the WordPress folder.',
  },
  maintenance_page: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, said }) =>
      `${site} is closed for maintenance, by a plugin or its host${quoted(said)}.`,
    todo: 'Galley continues when it is over. To let it continue before that, allow signed-in users to reach the REST API (/wp-json/) in whatever closes the site, and check the username and the application password: a login that is not recognised gets the same answer.',
  },
  rate_limited: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, found }) => `${site} asks for fewer requests (HTTP 429${found ? `, ${found}` : ''}).`,
    todo: "Galley waits; lower the site's concurrency if this comes often.",
  },
  locked_out: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, said }) =>
      `${site} has locked Galley out for a while, after too many failed logins${quoted(said)}.`,
    todo: 'Galley continues when that time is over. To continue at once, allow its address in the plugin that limits logins; if this happens again, check the username and the application password.',
  },
  gateway_error: {
    fault: 'site',
    action: 'retry',
    effect: 'unknown',
    happened: ({ site, doing, status, found }) =>
      `The web server in front of ${site} got no answer from WordPress while ${doing} (HTTP ${status}${found ? `, ${found}` : ''}).`,
    todo: 'PHP may be overloaded or stopped; ask the host.',
  },
  redirected: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, found }) =>
      `${site} now redirects its REST API to ${found ?? 'another address'}, and credentials are not sent after it.`,
    todo: 'Connect the site again at its new address. If that differs from the old one only by a slash or a language, a plugin or a rule on its server redirects requests there: exclude the REST API (/wp-json/) from it.',
  },
  parking_page: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, found }) =>
      `${site} shows a domain parking page${found ? ` (${found})` : ''} where WordPress used to be.`,
    todo: 'Check whether the domain has expired or its DNS has changed.',
  },
  login_wall: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, found }) =>
      `${site} puts a login in front of its REST API (${found ?? 'a login page'}).`,
    todo: "Exempt /wp-json/ from that protection, or let Galley's address through.",
  },
  rest_api_disabled: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, said }) => `The REST API of ${site} is switched off${quoted(said)}.`,
    todo: 'A security plugin usually does that: allow it for logged-in users.',
  },
  rest_route_missing: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site, doing }) => `${site} has no REST route for ${doing}.`,
    todo: 'Check that the post type that the site’s setting “post_type” names is still there and shown in the REST API, and that no plugin removes routes; or change that setting.',
  },
  not_found: {
    fault: 'site',
    action: 'retry',
    effect: 'none',
    happened: ({ site }) => `The REST API of ${site} is not where it was (HTTP 404, a page instead of JSON).`,
    todo: 'Permalinks may have changed: check the site in Galley, or save Settings → Permalinks in WordPress.',
  },
  answer_unreadable: {
    fault: 'site',
    action: 'retry',
    effect: 'unknown',
    happened: ({ site, doing, status, found }) =>
      `${site} answered with something that is not JSON while ${doing} (HTTP ${status}${found ? `: ${found}` : ''}).`,
    todo: 'A plugin or the server corrupts the answers of the REST API.',
  },
  answer_unexpected: {
    fault: 'site',
    action: 'retry',
    effect: 'unknown',
    happened: ({ site, doing, found }) =>
      `${site} answered with JSON that WordPress does not send while ${doing} (${found ?? 'fields are missing'}).`,
    todo: "A plugin changes the REST API's answers.",
  },
} satisfies Record<string, Failure>
