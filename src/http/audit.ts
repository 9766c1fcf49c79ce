import { auditDetails } from '../accounts/audit/details.ts'
import { enterDeed } from '../accounts/audit/enter.ts'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import type { Endpoint, RawRequest, Reply } from './endpoint.ts'

/**
 * Enters into the audit log what a request has done, before its answer is sent: nobody hears of a success that is not
 * entered.
 *
 * @throws GalleyError 503 `AUDIT_UNWRITTEN` where it was done and could not be entered
 */
export async function audit(
  database: Queryable,
  { action }: Pick<Endpoint, 'action'>,
  { caller: { accountId, keyId }, params, query, body }: RawRequest,
  reply: Reply,
): Promise<void> {
  if (action === undefined || action === 'none' || reply.changed === false) return
  const details = auditDetails({ params, query, body })
  const subjectId = subjectOf(params, reply.body) ?? (action.startsWith('account.') ? accountId : null)
  try {
    await enterDeed(database, { accountId, by: { keyId }, action, subjectId, details })
  } catch (cause) {
    throw new GalleyError({
      code: 'AUDIT_UNWRITTEN',
      httpStatus: 503,
      action: 'ambiguous',
      message:
        'What was asked for has been done, and could not be entered in the audit log. Look before you ask for it again.',
      cause,
    })
  }
}

/** The one that the path names, or else the one that was made. */
function subjectOf(params: unknown, body: Reply['body']): string | null {
  const found = { ...body, ...(params as object) } as { id?: unknown; uuid?: unknown }
  const id = found.uuid ?? found.id
  return typeof id === 'string' ? id : null
}
