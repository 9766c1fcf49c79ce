import { v7 as uuid } from 'uuid'
import type { Prisma } from '../../database/generated/client.ts'
import { named } from '../../database/named.ts'
import { storableJson, storableText, storableValue } from '../../database/storable.ts'
import type { Queryable } from '../../database/transaction.ts'
import { momentOf } from './ids.ts'

/** What was done, as the log names it: the kind of thing, and a verb. `site.connect`, `key.revoke`. */
export type Action = `${string}.${string}`

/** Something that was done. */
export interface AuditedAction {
  accountId: string
  /** Whose key asked for it; or who did it without one, in words: `the owner of the site, through a connect link`. */
  by: { keyId: string } | { actor: string }
  action: Action
  /** The site, key, source or delivery that it was done to; null where there is no single one. */
  subjectId: string | null
  /** What was asked for, without a secret: see `details.ts`. */
  details?: Record<string, unknown>
}

/**
 * Enters into the audit log that something was done. In a transaction, it is entered where the action itself is stored, and
 * not otherwise.
 *
 * @param intent what was written before it was done (intent.ts), which ends with this
 */
export async function enterAction(
  database: Queryable,
  { accountId, by, action, subjectId, details = {} }: AuditedAction,
  intent: string | null = null,
): Promise<void> {
  const id = uuid()
  await database.query(
    named(ENTER, {
      id,
      intent,
      accountId,
      keyId: 'keyId' in by ? by.keyId : null,
      actor: 'actor' in by ? by.actor : null,
      action,
      kind: kindOf(action),
      subjectId,
      details: storableJson(details),
      at: momentOf(id),
    }),
  )
}

const ENTER = `
WITH ended AS (DELETE FROM audit_intent WHERE id = :intent::uuid)
INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, details, at)
VALUES (:id::uuid, :accountId::uuid, :keyId::uuid,
  coalesce(:actor::text, (SELECT name FROM api_key WHERE id = :keyId::uuid AND account_id = :accountId::uuid), ''),
  :action::text, :kind::text, :subjectId::text, :details::jsonb, :at::timestamptz)`

/** The same in a transaction of Prisma's, for what was done without a key. */
export async function enterActionWithoutKey(
  transaction: Prisma.TransactionClient,
  actor: string,
  { accountId, action, subjectId, details = {} }: Omit<AuditedAction, 'by'>,
): Promise<void> {
  const id = uuid()
  const data = { id, accountId, action, subjectKind: kindOf(action), subjectId, at: momentOf(id) }
  await transaction.auditEntry.create({
    data: { ...data, actor: storableText(actor), details: storableValue(details) as Prisma.InputJsonObject },
  })
}

/** `site` of `site.connect`. */
const kindOf = (action: Action): string => action.slice(0, action.indexOf('.'))
