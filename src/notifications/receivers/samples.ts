import { execute, storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { type NotificationEvent, sampleData } from '../outcomes.ts'
import { type ReceiverKey, receiverRow } from './receivers.ts'

/** Sample mails a minute to one receiver, so that nobody's mailbox is flooded. */
const MAX_SAMPLE_MAILS_PER_MINUTE = 3

/** Sends a sample, as any notification; once for an id. @throws GalleyError 404 `NOT_FOUND`; 429 `TOO_MANY_SAMPLES` */
export async function sendSample(
  database: Queryable,
  receiver: ReceiverKey,
  wanted: NotificationEvent | undefined,
  id: string,
): Promise<void> {
  const { events, url, kind, name } = await receiverRow(database, receiver)
  const event = wanted ?? (events[0] as NotificationEvent)
  const data = sampleData(event)
  const at = new Date().toISOString()
  const head = { event, id, created_at: at, sample: true }
  const mail = { receiver: { name }, items: [{ event, at, data }], counts: { [event]: 1 } }
  const rowCount = await execute(database, INSERT_SAMPLE, {
    ...{ id, accountId: receiver.accountId, receiverId: receiver.id, event, subjectId: data.id, url },
    body: storableJson(kind === 'email' ? { ...head, ...mail } : { ...head, data }),
    most: kind === 'email' ? MAX_SAMPLE_MAILS_PER_MINUTE : null,
  })
  if (rowCount === 0)
    throw new GalleyError({
      code: 'TOO_MANY_SAMPLES',
      httpStatus: 429,
      action: 'retry',
      retryAfterMs: 60_000,
      message: 'This receiver has reached its limit of mail for this minute. Wait a minute.',
    })
}

const INSERT_SAMPLE = `
  INSERT INTO notification (id, account_id, receiver_id, event, subject_id, url, body)
  SELECT :id::uuid, :accountId::uuid, :receiverId::uuid, :event::text, :subjectId::uuid, :url::text,
    convert_to(:body::text, 'UTF8')
  WHERE :most::int IS NULL OR EXISTS (SELECT FROM notification WHERE id = :id) OR :most > (
    SELECT count(*) FROM (
      SELECT created_at FROM notification WHERE receiver_id = :receiverId ORDER BY id DESC LIMIT ${MAX_SAMPLE_MAILS_PER_MINUTE}
    ) AS last WHERE created_at > now() - interval '1 minute')
  ON CONFLICT (id) DO UPDATE SET id = excluded.id`
