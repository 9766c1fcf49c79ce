import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import type { Unjudged } from '../../client/index.ts'
import { failure } from '../../failures/index.ts'
import type { Waiting } from '../waiting.ts'

/**
 * What an answer means that is none to the batch.
 * - `too_big`: more than the server takes.
 * - `refused`: somebody does not like batches, or makes something else of their answers. No failure of the site.
 * - `failed`: as a single request fails.
 */
export type Verdict = 'too_big' | 'refused' | 'failed'

/** What is meant by the failure that an answer to a batch, or to a question about batches, would be of a single request. */
export function verdictOf({ code, details }: GalleyError): Verdict {
  const { status } = statusSchema.parse(details)
  if (status === 413) return 'too_big'
  if (status === 408 || status === 429) return 'failed'
  if (status >= 400 && status < 500) return 'refused'
  if (code.startsWith('firewall_') || code === 'cloudflare_challenge') return 'refused'
  return code === 'answer_unexpected' ? 'refused' : 'failed'
}

/** 0 where there was no answer. */
const statusSchema = z.object({ status: z.number().catch(0) }).catch({ status: 0 })

/** The failure of one member, as if it had been answered so by itself. */
export function failureOf({ outgoing }: Waiting, answered: Unjudged): GalleyError {
  try {
    outgoing.judge(answered, outgoing.request)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    // A plugin that refused one of them by ending the request: nobody knows which, and each is to be asked for alone.
    return error.code === 'request_refused' && answered.status >= 500 ? noOwnAnswer({ outgoing }) : error
  }
  return noOwnAnswer({ outgoing })
}

/** The failure of a member that a batch brought no answer of its own: it may have been carried out. */
export function noOwnAnswer({ outgoing: { site, request } }: Pick<Waiting, 'outgoing'>): GalleyError {
  const { method = 'GET', doing, subject } = request
  const found = 'no answer to this request among those to the batch that it was in'
  return failure('answer_unexpected', { site: site.name, method, doing, subject }, { found })
}
