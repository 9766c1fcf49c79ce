import { type AtFault, GalleyError } from '../../errors.ts'
import type { TransportCode } from '../../outbound/failures.ts'
import { type FailureCode, firewallFailures } from './catalogue.ts'

/** What a failure says. It is judged here alone; traffic, deliveries and the outages of sites read it. */
export interface Judgement {
  fault: AtFault
  /** `fails`: it pauses once failures persist. `refuses`: until its owner acts. Null: it says nothing. */
  site: 'works' | 'fails' | 'refuses' | null
  /** It may be over a moment later, so the request may be made again in place. */
  passes: boolean
  /** The request was refused for itself, so that another one may be answered. */
  ofRequest: boolean
  /** The credentials were taken for wrong or for none. Plugins count every further try. */
  ofCredentials: boolean
}

type Codes = ReadonlySet<string>

/** Hiccups. All others are believed at once: firewalls, maintenance, names, whoever asks for a wait. */
const PASSING: Codes = new Set<FailureCode | TransportCode>([
  'connection_lost',
  'site_unreachable',
  'site_timeout',
  'site_error',
  'gateway_error',
  'php_fatal_error',
  'database_down',
  'answer_unreadable',
])

const OF_CREDENTIALS: Codes = new Set<FailureCode>([
  'authorization_stripped',
  'password_wrong',
  'username_unknown',
  'application_passwords_off',
  'https_unseen',
  'not_logged_in',
])

/** Failures of a site that may befall one request and not the next, as firewalls refuse a method or an address. */
const OF_REQUEST: Codes = new Set<FailureCode | TransportCode>([
  'firewall_blocked',
  'firewall_modsecurity',
  'firewall_cloudflare',
  'firewall_wordfence',
  'firewall_sucuri',
  'firewall_imunify',
  'rest_route_missing',
  'answer_unexpected',
  'answer_unreadable',
  'answer_too_big',
])

/** Failures of a site that nobody expects to end by themselves: a person has to change something there. */
const LASTING: Codes = new Set<FailureCode | TransportCode>([
  ...(Object.keys(firewallFailures) as (keyof typeof firewallFailures)[]),
  'php_fatal_error',
  'redirected',
  'parking_page',
  'account_suspended',
  'login_wall',
  'rest_api_disabled',
  'rest_route_missing',
  'not_found',
  'dns_failed',
  'tls_failed',
  'too_many_redirects',
])

/** Whether an outage with this cause lasts until a person ends it. @param code of a failure */
export const isLasting = (code: string): boolean => LASTING.has(code)

/** @param ofPost a post that stands: rights missing there say nothing of the site */
export function judge(error: unknown, { ofPost = false } = {}): Judgement {
  if (!(error instanceof GalleyError))
    return { fault: 'galley', site: null, passes: false, ofRequest: false, ofCredentials: false }
  const { code, fault, retryAfterMs } = error
  const ofPostAlone = ofPost && code === 'rights_missing'
  return {
    fault,
    site: ofPostAlone ? null : SAYS_OF_SITE[fault],
    passes: PASSING.has(code) && retryAfterMs === undefined,
    ofRequest: fault === 'delivery' || OF_REQUEST.has(code),
    ofCredentials: OF_CREDENTIALS.has(code),
  }
}

const SAYS_OF_SITE: Readonly<Record<AtFault, Judgement['site']>> = {
  site: 'fails',
  delivery: 'works',
  owner: 'refuses',
  galley: null,
}
