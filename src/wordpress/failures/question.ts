import type { GalleyError } from '../../errors.ts'
import type { FailureCode } from './catalogue.ts'

/** Failures of a site that may befall one question and not the next, as firewalls refuse a method or an address. */
const OF_THE_QUESTION: ReadonlySet<string> = new Set<FailureCode | 'answer_too_big'>([
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

/** Whether a question was refused for itself, so that another one may be answered. */
export const concernsQuestion = ({ fault, code }: GalleyError): boolean =>
  fault === 'delivery' || OF_THE_QUESTION.has(code)
