import { v7 as uuid } from 'uuid'
import { named } from '../../src/database/statement.ts'
import type { Queryable } from '../../src/database/transaction.ts'
import { insertIntoOutbox } from '../../src/notifications/notify.ts'

/** Something that somebody is to be told. */
export interface Stored {
  accountId: string
  event: string
  subjectId: string
  url: string
  /** JSON, as it is sent in every attempt. */
  body: string
}

/** Puts one notification into the outbox. @returns its id */
export async function storeNotification(database: Queryable, given: Stored): Promise<string> {
  const id = uuid()
  const row = `(VALUES (:id::uuid, :accountId::uuid, :event::text, :subjectId::uuid, :url::text, :body::text))
    AS given (id, account_id, event, subject_id, url, body)`
  await database.query(named(insertIntoOutbox(row), { id, ...given }))
  return id
}
