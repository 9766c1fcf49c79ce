import { z } from 'zod'
import type { GalleyError } from '../../errors.ts'
import { truncateLine } from '../fields.ts'
import type { FailureCode } from './catalogue.ts'
import { htmlToText } from './error-pages.ts'

const failureTextSchema = z.object({ happened: z.string(), todo: z.string() })

/** The two halves of a failure's message: what happened, and what to do about it. */
export function failureTextOf({ message, details }: GalleyError): { happened: string; todo: string } {
  const read = failureTextSchema.safeParse(details)
  return read.success ? read.data : { happened: message, todo: '' }
}

const saidSchema = z.object({ wordpress: z.object({ message: z.string().min(1) }) })

/** What WordPress, or a plugin there, said of a refusal, as one line; undefined where it said nothing. */
export function wordPressMessage({ details }: GalleyError): string | undefined {
  const message = saidSchema.safeParse(details).data?.wordpress.message
  return message === undefined ? undefined : truncateLine(htmlToText(message), 500)
}

const REFUSED: ReadonlySet<string> = new Set<FailureCode>([
  'authorization_stripped',
  'password_wrong',
  'username_unknown',
  'application_passwords_off',
  'not_logged_in',
])

/** Whether a site took the credentials for wrong or for none, so that it will take them no better the next time. */
export const refusesCredentials = ({ code }: Pick<GalleyError, 'code'>): boolean => REFUSED.has(code)

/** Failures of a site that may befall one question and not the next, as firewalls refuse a method or an address. */
const REQUEST_SPECIFIC_CODES: ReadonlySet<string> = new Set<FailureCode | 'answer_too_big'>([
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
export const isRequestSpecific = ({ fault, code }: GalleyError): boolean =>
  fault === 'delivery' || REQUEST_SPECIFIC_CODES.has(code)
