/**
 * Part of a statement: puts what somebody is to be told into the outbox. With what it tells of, it is stored, or neither is,
 * and it leaves as soon as that is committed. Its id is the `webhook-id` of every attempt.
 *
 * @param rows a FROM item with the columns `id`, `account_id`, `event` (`document.completed` and so on), `subject_id` (of the
 *   job or the delivery that it is about), `url`, and `body` (JSON, sent as it stands in every attempt)
 */
export const putIntoOutbox = (rows: string): string => `
  INSERT INTO notification (id, account_id, event, subject_id, url, body)
  SELECT id, account_id, event, subject_id, url, convert_to(body, 'UTF8') FROM ${rows}`
