import { type Action, GalleyError } from '../errors.ts'

export interface UpstreamRequest {
  source: string
  /** For messages: the upstream's host, or `no address`. */
  host: string
  documentId: string
}

interface UpstreamFailureDefinition {
  action: Action
  message: (asked: UpstreamRequest, seen: string) => string
}

const upstreamOf = ({ source, host }: UpstreamRequest): string =>
  `the upstream of source “${source}” (${host})`

/** Nothing is published in any of these cases. */
const upstreamFailures = {
  upstream_down: {
    action: 'retry',
    message: (asked, seen) =>
      `This document waits, since ${upstreamOf(asked)} cannot be asked for it: ${seen} Galley asks again by itself, and the wait costs no attempt.`,
  },
  upstream_refused: {
    action: 'owner',
    message: (asked, seen) =>
      `Galley is not allowed to ask ${upstreamOf(asked)} for documents: ${seen} Correct the address or the API key (upstream_base_url, upstream_api_key) of the source, or the account there, then retry.`,
  },
  upstream_document_unknown: {
    action: 'owner',
    message: (asked, seen) =>
      `No document ${asked.documentId} is known to ${upstreamOf(asked)}: ${seen} The webhook may be forged, or the document was removed there. Nothing was published. Retry if it should be there.`,
  },
  upstream_not_completed: {
    action: 'retry',
    message: (asked, seen) =>
      `Document ${asked.documentId} is not completed, says ${upstreamOf(asked)}: its status is ${seen}. Nothing was published; Galley asks again later.`,
  },
  upstream_document_failed: {
    action: 'owner',
    message: (asked, seen) =>
      `Document ${asked.documentId} could not be created, says ${upstreamOf(asked)}: ${seen}. Nothing was published. Retry once it has been created there.`,
  },
  upstream_answer_too_big: {
    action: 'owner',
    message: (asked, seen) =>
      `What ${upstreamOf(asked)} answers about document ${asked.documentId} is larger than ${seen}. Nothing was published. Check that upstream_base_url is right, then retry.`,
  },
  upstream_answer_unusable: {
    action: 'owner',
    message: (asked, seen) =>
      `What ${upstreamOf(asked)} answers about document ${asked.documentId} cannot be used: ${seen} Nothing was published. Check that upstream_base_url is right, then retry.`,
  },
} as const satisfies Record<string, UpstreamFailureDefinition>

export type UpstreamCode = keyof typeof upstreamFailures

/** The fault is never the site's or its owner's: it must not pause other deliveries of the site. */
export const upstreamFailure = (
  code: UpstreamCode,
  asked: UpstreamRequest,
  seen: string,
  more: { cause?: unknown; retryAfterMs?: number | undefined } = {},
): GalleyError => {
  const { action, message } = upstreamFailures[code]
  const said = message(asked, seen)
  return new GalleyError({
    code,
    message: said.charAt(0).toUpperCase() + said.slice(1),
    fault: code === 'upstream_down' ? 'galley' : 'delivery',
    action,
    httpStatus: 502,
    ...more,
  })
}

/** Whether an error concerns the upstream as a whole, not one document. */
export const isUpstreamTrouble = ({ code }: GalleyError): boolean =>
  code === 'upstream_down' || code === 'upstream_refused'
