import type { Facts, Failure } from '../types.ts'
import { quoted, referenced } from './words.ts'

/**
 * Something between us and WordPress refused. Never the credentials' fault. The effect is `unknown` because
 * some firewalls read the answer and block it after WordPress has done its work.
 */
const blocked = (happened: (facts: Facts) => string, todo: string) =>
  ({ fault: 'site', action: 'retry', effect: 'unknown', happened, todo }) satisfies Failure

export const firewallFailures = {
  firewall_cloudflare: blocked(
    ({ site, doing, reference }) =>
      `Cloudflare in front of ${site} blocked Galley while ${doing}${referenced(reference)}.`,
    "In Cloudflare, under Security → Events, find this and add a rule that skips /wp-json/ for Galley's address.",
  ),
  cloudflare_challenge: blocked(
    ({ site, reference }) =>
      `Cloudflare in front of ${site} asks for a browser check, which no program can pass${referenced(reference)}.`,
    'Add a Cloudflare rule that skips challenges for /wp-json/.',
  ),
  firewall_wordfence: blocked(
    ({ site, doing, reference }) =>
      `The Wordfence plugin on ${site} blocked Galley while ${doing}${referenced(reference)}.`,
    "In WordPress, under Wordfence → Firewall, allow Galley's address or allowlist the blocked request.",
  ),
  firewall_modsecurity: blocked(
    ({ site, doing, reference }) =>
      `ModSecurity on the server of ${site} blocked Galley while ${doing}${referenced(reference)}.`,
    'Ask the host to exempt /wp-json/ from the rule that its log names.',
  ),
  firewall_sucuri: blocked(
    ({ site, doing, reference }) =>
      `The Sucuri firewall in front of ${site} blocked Galley while ${doing}${referenced(reference)}.`,
    "In Sucuri, allow Galley's address under Access Control.",
  ),
  firewall_imunify: blocked(
    ({ site, doing, reference }) =>
      `Imunify360 on the server of ${site} blocked Galley while ${doing}${referenced(reference)}.`,
    "Ask the host to put Galley's address on its white list.",
  ),
  firewall_captcha: blocked(
    ({ site, found }) =>
      `${site} answers with a captcha${found ? ` (${found})` : ''}, which no program can solve.`,
    "Ask the host to exempt /wp-json/ or Galley's address.",
  ),
  firewall_blocked: blocked(
    ({ site, doing, status, found, said }) =>
      `Something in front of WordPress on ${site} refused Galley while ${doing} (HTTP ${status}${found ? `, a page called “${found}”` : ''})${quoted(said)}.`,
    "It is a firewall or a security plugin, not the password: allow Galley's address there.",
  ),
} satisfies Record<string, Failure>
