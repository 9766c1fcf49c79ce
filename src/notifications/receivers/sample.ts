import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Outcome } from './events.ts'
import { tooManySamples } from './failures.ts'
import { type ReceiverId, receiverRow } from './row.ts'

const SITE = {
  id: '018f3c1e-5f0a-7d3b-9a45-1c2d3e4f5a6b',
  name: 'Harbour News',
  url: 'https://example.com',
  labels: ['news'],
}
const AT = '2026-01-01T12:00:00.000Z'
const REFUSED = {
  code: 'credentials_rejected',
  message: 'This is a sample. What happened, and what to do about it, is said here.',
}

const delivery = (status: string, error: object | null) => ({
  id: '018f3c1e-6a11-7c55-8f21-0a1b2c3d4e5f',
  document_id: '018f3c1e-4b22-7e66-9d32-1b2c3d4e5f60',
  title: 'How tides come about',
  source: null,
  site_id: SITE.id,
  status,
  post: {
    id: 42,
    url: `${SITE.url}/how-tides-come-about/`,
    edit_url: `${SITE.url}/wp-admin/post.php?post=42&action=edit`,
    status: 'publish',
  },
  warnings: [],
  attempts: error === null ? 0 : 1,
  next_attempt_at: null,
  error,
  created_at: AT,
  updated_at: AT,
  site: SITE,
})

const site = (status: string, more: object) => ({
  ...SITE,
  status,
  trouble: null,
  paused_until: null,
  ...more,
})

/** `data` of each event, as it may be. */
const SAMPLES = {
  'delivery.delivered': delivery('delivered', null),
  'delivery.held': delivery('held', { ...REFUSED, step: 'fill' }),
  'delivery.failed': delivery('failed', { ...REFUSED, step: 'fill' }),
  'site.outage': site('needs_owner', { trouble: REFUSED, what_to_do: REFUSED.message }),
  'site.recovered': site('connected', { was: REFUSED, what_to_do: null }),
  'site.regression': site('problem', {
    level: 'problem',
    findings: [
      {
        check: 'sample',
        level: 'problem',
        seen: 'This is a sample.',
        means: 'What it means is said here.',
        todo: 'What to do is said here.',
      },
    ],
    what_to_do: 'What to do is said here.',
  }),
} satisfies Record<Outcome, object>

/** Mails to one receiver in a minute that a person can ask for: nobody's mailbox is filled by a button. */
const MAILS_A_MINUTE = 3

/**
 * Sends a receiver a sample, now, as everything else is sent: signed or as mail, tried again, and on record.
 *
 * @param id that the notification gets; the same again sends no other
 * @throws GalleyError 404 `NOT_FOUND`; 429 `TOO_MANY_SAMPLES`
 */
export async function sendSample(
  database: Queryable,
  receiver: ReceiverId,
  wanted: Outcome | undefined,
  id: string,
): Promise<void> {
  const { events, url, kind, name } = await receiverRow(database, receiver)
  const event = wanted ?? (events[0] as Outcome)
  const data = SAMPLES[event]
  const head = { event, id, created_at: new Date().toISOString(), sample: true }
  const mail = { receiver: { name }, items: [{ event, at: AT, data }], counts: { [event]: 1 } }
  const { rowCount } = await database.query(
    named(INSERT, {
      ...{ id, accountId: receiver.accountId, receiverId: receiver.id, event, subjectId: data.id, url },
      body: storableJson(kind === 'email' ? { ...head, ...mail } : { ...head, data }),
      most: kind === 'email' ? MAILS_A_MINUTE : null,
    }),
  )
  if (rowCount === 0) throw tooManySamples()
}

const INSERT = `
  INSERT INTO notification (id, account_id, receiver_id, event, subject_id, url, body)
  SELECT :id::uuid, :accountId::uuid, :receiverId::uuid, :event::text, :subjectId::uuid, :url::text,
    convert_to(:body::text, 'UTF8')
  WHERE :most::int IS NULL OR EXISTS (SELECT FROM notification WHERE id = :id) OR :most > (
    SELECT count(*) FROM (
      SELECT created_at FROM notification WHERE receiver_id = :receiverId ORDER BY id DESC LIMIT ${MAILS_A_MINUTE}
    ) AS last WHERE created_at > now() - interval '1 minute')
  ON CONFLICT (id) DO UPDATE SET id = excluded.id`
