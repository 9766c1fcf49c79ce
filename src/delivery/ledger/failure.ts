import { databaseFailure, databaseMessage } from '../../database/errors.ts'
import { type AtFault, GalleyError } from '../../errors.ts'
import { transportFailures } from '../../outbound/failures.ts'
import { wordPressFailures } from '../../wordpress/failures/catalogue.ts'

/** Every error has a code and a sentence, those of our own making too. */
export function asGalleyError(thrown: unknown): GalleyError {
  if (thrown instanceof GalleyError) return thrown
  if (databaseFailure(thrown) === 'refused') return databaseRefused(thrown)
  return new GalleyError({
    code: 'internal_error',
    message: 'Galley itself failed here. It will try again; if this continues, its log has the reason.',
    fault: 'galley',
    action: 'retry',
    cause: thrown,
  })
}

/** What the database does not take now it will not take later either, so a person has to look. */
export const databaseRefused = (thrown: unknown): GalleyError =>
  new GalleyError({
    code: 'not_storable',
    message: `Galley's database rejected what was to be stored about this delivery: ${databaseMessage(thrown)}. The post may be on the site anyway. Something unusual is in the document or in what the site answers: look for it there, take it out, and retry this delivery.`,
    fault: 'delivery',
    action: 'owner',
    cause: thrown,
  })

const MINUTE = 60_000

/** Milliseconds between two attempts of a delivery at most, unless its site asks for more. */
const MAX_BACKOFF_MS = 60 * MINUTE

/** Failures that count against a delivery before it is given up. */
export const MAX_ATTEMPTS = 8

/** Failures in a row that may be hiccups: a site that fails this delivery again and again is in trouble all the same. */
export const MAX_HICCUPS = 3

/** Failures in a row after which a delivery is held: about a day of probes, of a document that nobody follows. */
export const MAX_SITE_FAILURES = 100

/** Puts a delivery that met its site's trouble behind the others. Milliseconds. */
export const SITE_FAILURE_SPACING_MS = 1_000

/** Milliseconds before the next attempt: by default 10 s, 30 s, 90 s and so on up to an hour; two hours in all. */
export const deliveryBackoff = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 3 ** (attempts - 1), MAX_BACKOFF_MS)

const failureCatalogue: Readonly<Record<string, { fault: AtFault; todo: string; reconnect?: true }>> = {
  ...wordPressFailures,
  ...transportFailures,
}

/** A failure's sentence without its advice, for answers that have the advice in a member of its own. */
export const withoutAdvice = (message: string, todo: string | null): string =>
  todo !== null && message.endsWith(` ${todo}`) ? message.slice(0, -todo.length - 1) : message

/** What the person who can mend it does next; null where the failure's own sentence says it. */
export const adviceFor = (code: string): string | null => failureCatalogue[code]?.todo ?? null

/** Whether what failed with this code goes on once its site is connected again. */
export const needsReconnect = (code: string): boolean =>
  code === 'secret_unreadable' || failureCatalogue[code]?.reconnect === true

/** Why a delivery may have been held that goes on once the site is connected, or serves again. */
export const siteHoldCodes = [
  'site_unknown',
  'secret_key_missing',
  'secret_unreadable',
  ...Object.entries(failureCatalogue)
    .filter(([, { fault }]) => fault === 'owner' || fault === 'site')
    .map(([code]) => code),
]

/** Steps before the site is asked anything, the first two, and those that speak to it. */
type Step = 'prepare' | 'confirm' | 'reserve' | 'terms' | 'media' | 'fill' | 'verify' | 'withdraw' | 'undo'

/** Where an attempt stands. Its steps say so as they begin. */
export interface Progress {
  step: Step
}
