import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { z } from 'zod'
import type { Prisma } from '../../database/generated/client.ts'
import { named, storableJson, storableText, storableValue } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { createTask, defineJob, type WorkFactory } from '../../jobs/job.ts'

/** When an id of version 7 was made: its first 48 bits are milliseconds. */
const timeOfUuid = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))

/** Below every id that is made at this time or later, and above those before: no id of version 7 has so small a rest. */
export function lowestUuidAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** What was done, as the log names it: the kind of thing, and a verb. `site.connect`, `key.revoke`. */
export type AuditAction = `${string}.${string}`

/** Something that was done. */
interface AuditedAction {
  accountId: string
  /** Whose key asked for it; or who did it without one, in words: `the owner of the site, through a connect link`. */
  by: { keyId: string } | { actor: string }
  action: AuditAction
  /** The site, key, source or delivery that it was done to; null where there is no single one. */
  subjectId: string | null
  /** What was asked for, without a secret: see `details.ts`. */
  details?: Record<string, unknown>
}

/**
 * Enters into the audit log that something was done. In a transaction, it is entered where the action itself is stored, and
 * not otherwise.
 *
 * @param intent what was written before it was done (accounts/audit/record.ts), which ends with this
 */
export async function recordAuditEntry(
  database: Queryable,
  { accountId, by, action, subjectId, details = {} }: AuditedAction,
  intent: string | null = null,
): Promise<void> {
  const id = uuid()
  await database.query(
    named(INSERT_ENTRY, {
      id,
      intent,
      accountId,
      keyId: 'keyId' in by ? by.keyId : null,
      actor: 'actor' in by ? by.actor : null,
      action,
      kind: subjectKindOf(action),
      subjectId,
      details: storableJson(details),
      at: timeOfUuid(id),
    }),
  )
}

const INSERT_ENTRY = `
WITH ended AS (DELETE FROM audit_intent WHERE id = :intent::uuid)
INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, details, at)
VALUES (:id::uuid, :accountId::uuid, :keyId::uuid,
  coalesce(:actor::text, (SELECT name FROM api_key WHERE id = :keyId::uuid AND account_id = :accountId::uuid), ''),
  :action::text, :kind::text, :subjectId::text, :details::jsonb, :at::timestamptz)`

/** The same in a transaction of Prisma's, for what was done without a key. */
export async function recordOperatorAuditEntry(
  transaction: Prisma.TransactionClient,
  actor: string,
  { accountId, action, subjectId, details = {} }: Omit<AuditedAction, 'by'>,
): Promise<void> {
  const id = uuid()
  const data = { id, accountId, action, subjectKind: subjectKindOf(action), subjectId, at: timeOfUuid(id) }
  await transaction.auditEntry.create({
    data: { ...data, actor: storableText(actor), details: storableValue(details) as Prisma.InputJsonObject },
  })
}

/** `site` of `site.connect`. */
const subjectKindOf = (action: AuditAction): string => action.slice(0, action.indexOf('.'))

// A request changes something in transactions of its own, perhaps several, and asks sites in between; its entry follows. A
// process may be killed before that. So what is about to be done is written first, and goes with the entry.

/** What is about to be done; of something that is made nobody may know the id yet. */
export type AuditIntent = Omit<AuditedAction, 'by'> & { by: { keyId: string } }

/**
 * Writes down what is about to be done. It is not waited for until it is on disk: it is there before any change that
 * follows it is.
 *
 * @returns by which it is known
 */
export async function recordAuditIntent(database: Queryable, intent: AuditIntent): Promise<string> {
  const { accountId, by, action, subjectId, details = {} } = intent
  const id = uuid()
  await database.query(
    named(INSERT_INTENT, {
      id,
      accountId,
      keyId: by.keyId,
      action,
      subjectId,
      details: storableJson(details),
    }),
  )
  return id
}

const INSERT_INTENT = `
  WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO audit_intent (id, account_id, key_id, action, subject_id, details)
  SELECT :id::uuid, :accountId::uuid, :keyId::uuid, :action::text, :subjectId::text, :details::jsonb FROM quick`

/** Enters what was begun and is done. */
export const completeAuditIntent = (database: Queryable, id: string, done: AuditedAction): Promise<void> =>
  recordAuditEntry(database, done, id)

/** Forgets what was begun and came to nothing. */
export async function deleteAuditIntent(database: Queryable, id: string): Promise<void> {
  await database.query(named('DELETE FROM audit_intent WHERE id = :id::uuid', { id }))
}

/** Milliseconds after which no request is under way any more. */
const ABANDONED_AFTER_MS = 3_600_000

/**
 * Enters what was begun long ago and has no entry: its process was killed, it failed, or the database went away. Whether it
 * was done nobody knows, and the entry says so. It stands where it would have stood, at the time when it was begun.
 *
 * @returns how many were entered
 */
export async function recordAbandonedIntents(pool: Pool, begunBefore: Date): Promise<number> {
  const { rowCount } = await pool.query(
    named(ABANDONED_INTENTS, { before: lowestUuidAt(begunBefore), unfinished: OUTCOME_UNKNOWN }),
  )
  return rowCount ?? 0
}

const OUTCOME_UNKNOWN =
  'Nobody knows whether this was done: it failed, or the process ended, before that could be entered.'

const ABANDONED_INTENTS = `
  WITH left_behind AS (
    DELETE FROM audit_intent WHERE id < :before::uuid
    RETURNING id, account_id, key_id, action, subject_id, details, at
  )
  INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, details, at)
  SELECT l.id, l.account_id, l.key_id,
    coalesce((SELECT name FROM api_key k WHERE k.id = l.key_id AND k.account_id = l.account_id), ''),
    l.action, split_part(l.action, '.', 1), l.subject_id, l.details || jsonb_build_object('unfinished', :unfinished::text), l.at
  FROM left_behind l`

const unfinishedJob = defineJob({ name: 'enter_unfinished', payload: z.object({}) })

/** What the audit log needs done: that what a killed process has begun is in it within two hours. */
export const auditWork =
  (pool: Pool): WorkFactory =>
  () => ({
    tasks: [
      createTask(
        unfinishedJob,
        async () => {
          await recordAbandonedIntents(pool, new Date(Date.now() - ABANDONED_AFTER_MS))
        },
        '53 * * * *',
      ),
    ],
  })
