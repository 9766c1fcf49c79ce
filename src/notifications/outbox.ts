import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'

/** Something that somebody is to be told. */
export interface News {
  accountId: string
  /** `document.completed` and so on. */
  event: string
  /** What it is about: the id of a job, or of a delivery. */
  subjectId: string
  url: string
  /** JSON, as it is sent in every attempt. */
  body: string
}

/**
 * Puts a notification into the outbox, in the transaction that `database` is in: with what it tells of, it is stored, or
 * neither is. It leaves as soon as that is committed.
 *
 * @returns its id, the `webhook-id` of every attempt
 */
export async function storeNotification(database: Queryable, news: News): Promise<string> {
  const id = uuid()
  await database.query(
    named(
      `INSERT INTO notification (id, account_id, event, subject_id, url, body)
       VALUES (:id, :accountId, :event, :subjectId, :url, convert_to(:body, 'UTF8'))`,
      { id, ...news },
    ),
  )
  return id
}
