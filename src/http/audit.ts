import { auditDetails } from '../accounts/audit/details.ts'
import type { Action } from '../accounts/audit/enter.ts'
import { beginAction, dropIntent, endAction, type Intent } from '../accounts/audit/intent.ts'
import { storableText } from '../database/storable.ts'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { excerpt } from '../text.ts'
import type { Endpoint, RawRequest, Reply } from './endpoint.ts'
import type { Export } from './export.ts'
import type { Live } from './live.ts'

/** Whatever an endpoint answers. */
export type Answering = Reply | Export | Live

/**
 * Carries a request out, and enters into the audit log what it has done before its answer is sent: nobody hears of a success
 * that is not entered. What is about to be done is written down first, so that it is entered too where this process is
 * killed before (intent.ts).
 *
 * @throws GalleyError 503 `AUDIT_UNWRITTEN` where it was done and could not be entered, and as the endpoint does
 */
export async function audited(
  database: Queryable,
  endpoint: Endpoint,
  asked: RawRequest,
): Promise<Answering> {
  const { action } = endpoint
  if (action === undefined || action === 'none') return endpoint.run(asked)
  const begun = begunBy(action, asked)
  const intent = await beginAction(database, begun)
  const reply = await endpoint.run(asked).catch(async (error: unknown) => {
    if (isRefusal(error)) await forget(database, intent)
    throw error
  })
  if ('parts' in reply || 'open' in reply || reply.changed === false) {
    await forget(database, intent)
    return reply
  }
  try {
    const subjectId = subjectOf(asked.params, reply.body) ?? begun.subjectId
    await endAction(database, intent, { ...begun, subjectId })
    return reply
  } catch (cause) {
    reply.share?.release()
    throw new GalleyError({
      code: 'AUDIT_UNWRITTEN',
      httpStatus: 503,
      action: 'ambiguous',
      message:
        'The request was carried out, but could not be entered in the audit log. Check before you send it again.',
      cause,
    })
  }
}

/** What cannot be forgotten is entered later as what nobody knows of; who asked hears of their own request all the same. */
const forget = (database: Queryable, intent: string): Promise<unknown> =>
  dropIntent(database, intent).catch((error: unknown) => error)

function begunBy(action: Action, { caller, params, query, body }: RawRequest): Intent {
  const { accountId, keyId } = caller
  const subjectId = subjectOf(params, {}) ?? (action.startsWith('account.') ? accountId : null)
  return { accountId, by: { keyId }, action, subjectId, details: auditDetails({ params, query, body }) }
}

/** Of what is refused nothing was done, whoever refuses it; of any other failure nobody knows. */
const isRefusal = (error: unknown): boolean =>
  error instanceof GalleyError && error.httpStatus !== 500 && error.action !== 'ambiguous'

/** Characters of an id that are kept: those of Galley's own have 36. */
const LONGEST_SUBJECT = 100

/** The one that the path names, or else the one that was made. A path may name anything: nothing has read it yet. */
function subjectOf(params: unknown, body: object): string | null {
  const found = { ...body, ...(params as object) } as { id?: unknown; uuid?: unknown }
  const id = found.uuid ?? found.id
  return typeof id === 'string' ? storableText(excerpt(id, LONGEST_SUBJECT)) : null
}
