import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import type { Queryable } from '../../database/transaction.ts'
import { type AuditedAction, enterAction } from './enter.ts'
import { firstIdOf } from './ids.ts'

// A request changes something in transactions of its own, perhaps several, and asks sites in between; its entry follows. A
// process may be killed before that. So what is about to be done is written first, and goes with the entry.

/** What is about to be done; of something that is made nobody may know the id yet. */
export type Intent = Omit<AuditedAction, 'by'> & { by: { keyId: string } }

/**
 * Writes down what is about to be done. It is not waited for until it is on disk: it is there before any change that
 * follows it is.
 *
 * @returns by which it is known
 */
export async function beginAction(database: Queryable, intent: Intent): Promise<string> {
  const { accountId, by, action, subjectId, details = {} } = intent
  const id = uuid()
  await database.query(
    named(BEGIN, { id, accountId, keyId: by.keyId, action, subjectId, details: storableJson(details) }),
  )
  return id
}

const BEGIN = `
  WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO audit_intent (id, account_id, key_id, action, subject_id, details)
  SELECT :id::uuid, :accountId::uuid, :keyId::uuid, :action::text, :subjectId::text, :details::jsonb FROM quick`

/** Enters what was begun and is done. */
export const endAction = (database: Queryable, id: string, done: AuditedAction): Promise<void> =>
  enterAction(database, done, id)

/** Forgets what was begun and came to nothing. */
export async function dropIntent(database: Queryable, id: string): Promise<void> {
  await database.query(named('DELETE FROM audit_intent WHERE id = :id::uuid', { id }))
}

/** Milliseconds after which no request is under way any more. */
export const UNFINISHED_AFTER_MS = 3_600_000

/**
 * Enters what was begun long ago and has no entry: its process was killed, it failed, or the database went away. Whether it
 * was done nobody knows, and the entry says so. It stands where it would have stood, at the time when it was begun.
 *
 * @returns how many were entered
 */
export async function enterUnfinished(pool: Pool, begunBefore: Date): Promise<number> {
  const { rowCount } = await pool.query(
    named(UNFINISHED, { before: firstIdOf(begunBefore), unfinished: NOBODY_KNOWS }),
  )
  return rowCount ?? 0
}

const NOBODY_KNOWS =
  'Nobody knows whether this was done: it failed, or the process ended, before that could be entered.'

const UNFINISHED = `
  WITH left_behind AS (
    DELETE FROM audit_intent WHERE id < :before::uuid
    RETURNING id, account_id, key_id, action, subject_id, details, at
  )
  INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, details, at)
  SELECT l.id, l.account_id, l.key_id,
    coalesce((SELECT name FROM api_key k WHERE k.id = l.key_id AND k.account_id = l.account_id), ''),
    l.action, split_part(l.action, '.', 1), l.subject_id, l.details || jsonb_build_object('unfinished', :unfinished::text), l.at
  FROM left_behind l`
