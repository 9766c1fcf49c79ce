import { databaseFailure, databaseMessage } from '../../database/errors.ts'
import { GalleyError } from '../../errors.ts'
import { transportFailures } from '../../outbound/failures.ts'
import { wordPressFailures } from '../../wordpress/failures/index.ts'
import { LeaseLostError } from './ledger.ts'
import type { DeliveryRow } from './state.ts'

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

/** Nothing to settle: whoever holds the delivery now does. */
export const isLeaseLost = (thrown: unknown): boolean => thrown instanceof LeaseLostError

/**
 * Trouble that stops every delivery of a site until its owner acts. Missing rights on a post that stands
 * already concern that post alone: another user may have made it.
 */
export const isSiteWide = ({ fault, code }: GalleyError, { post_id }: DeliveryRow): boolean =>
  fault === 'owner' && (code !== 'rights_missing' || post_id === null)

/** A site that refuses one document's request has answered it: it is not down. */
export const answeredBySite = ({ fault }: GalleyError, phase: Phase): boolean =>
  fault === 'delivery' && phase.name !== 'before'

const MINUTE = 60_000

/** Milliseconds between two attempts of a delivery at most, unless its site asks for more. */
export const MAX_BACKOFF_MS = 60 * MINUTE

/** Failures that count against a delivery before it is given up. */
export const MAX_ATTEMPTS = 8

/**
 * Failures of its site in a row that may be hiccups. A site that fails this delivery again and again may answer well to all
 * else that is asked of it, and is in trouble all the same.
 */
export const MAX_HICCUPS = 3

/**
 * Failures of its site in a row after which a delivery is held: about a day of probes a quarter of an hour apart. Only a
 * document that nobody follows gets there: a probe takes whichever the site failed longest ago.
 */
export const MAX_SITE_FAILURES = 100

/** Puts a delivery that met its site's trouble behind the others. Milliseconds. */
export const SITE_FAILURE_SPACING_MS = 1_000

/**
 * Milliseconds before the next attempt of a delivery that failed for the `attempts`th time; with the standard first
 * pause of 10 s: 10 s, 30 s, 90 s, 4.5 min, 13.5 min, 40 min, then an hour; about two hours in all.
 */
export const deliveryBackoff = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 3 ** (attempts - 1), MAX_BACKOFF_MS)

const failureCatalogue: Readonly<Record<string, { todo: string; reconnect?: true } | undefined>> = {
  ...wordPressFailures,
  ...transportFailures,
}

/** A failure's sentence without what to do about it, where that is said beside it. */
export const withoutAdvice = (message: string, todo: string | null): string =>
  todo !== null && message.endsWith(` ${todo}`) ? message.slice(0, -todo.length - 1) : message

/** What the person who can mend it does next; null where the failure's own sentence says it. */
export const adviceFor = (code: string): string | null => failureCatalogue[code]?.todo ?? null

/** Whether what failed with this code goes on once its site is connected again. */
export const needsReconnect = (code: string): boolean =>
  code === 'secret_unreadable' || failureCatalogue[code]?.reconnect === true

/** The steps that speak to the site, in their order. */
type Step = 'reserve' | 'terms' | 'media' | 'fill' | 'verify'

/** How far an attempt has come. What a failure says about the site depends on it. */
export type Phase =
  /** The site has been asked nothing: the document is read, memory is waited for, or the upstream is asked. */
  | { name: 'before'; step: 'prepare' | 'confirm' }
  | { name: 'during'; step: Step }
  /** The site has done all of its part; how it ended is being written down. */
  | { name: 'after'; step: Step }

/** Where an attempt stands. Its steps say so as they begin. */
export class Progress {
  #phase: Phase = { name: 'before', step: 'prepare' }

  get phase(): Phase {
    return this.#phase
  }

  /** The upstream of the source is asked whether this is its document. */
  confirm(): void {
    this.#phase = { name: 'before', step: 'confirm' }
  }

  enter(step: Step): void {
    this.#phase = { name: 'during', step }
  }

  /** All steps are done. */
  finish(): void {
    if (this.#phase.name === 'during') this.#phase = { name: 'after', step: this.#phase.step }
  }
}
