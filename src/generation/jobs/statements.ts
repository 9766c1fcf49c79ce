import type { Pool } from 'pg'
import { refundCredits } from '../../accounts/credits.ts'
import { batched, named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { LEASE_END, selectAsked, selectHeld } from '../../jobs/leased-work.ts'
import { insertIntoOutbox } from '../../notifications/notify.ts'
import { BATCHED_BELOW_CHARACTERS, jobLeases } from './job.ts'

export interface WriteKind {
  /** Names the prepared statement, which PostgreSQL plans once a connection. */
  name: string
  /** Columns of the relation `asked` beside `id`, `fence` and `progress`, with their casts. */
  casts: Readonly<Record<string, string>>
  /** SQL of the new due date; by default the lease is renewed. */
  due?: string
  /** SQL assignments to the job from `asked`, each after a comma. */
  sets?: string
  /** SQL condition under which `sets` changes anything; avoids needless row versions. */
  only?: string
  /** CTEs, each after a comma; may read `asked` and `held`, the ids whose claim counts. */
  more?: string
  columns?: string
  joins?: string
}

/** The values of the columns of `asked`. */
export interface FencedWrite extends Readonly<Record<string, unknown>> {
  id: string
  fence: number
  progress: string
}

/** Undefined where the claim no longer counts, and nothing was written. */
export type WriteResult = Record<string, unknown> | undefined

/** Writes for all claims that count, and renews leases that are half over. No job twice. */
export async function writeFenced(
  database: Queryable,
  kind: WriteKind,
  leaseS: number,
  all: readonly FencedWrite[],
): Promise<WriteResult[]> {
  const casts = { id: 'uuid', fence: 'int', progress: 'jsonb', ...kind.casts }
  const { asked, values } = selectAsked(casts, all, (write, column) => write[column])
  const { rows } = await database.query<{ id: string }>({
    name: `generation-${kind.name}`,
    ...named(
      `WITH asked AS (${asked}), mine AS (
        ${selectHeld(jobLeases, 'asked', { columns: 'w.id, w.account_id', lock: 'NO KEY UPDATE' })}
      ), written AS (
        UPDATE generation_job j SET due_at = ${kind.due ?? LEASE_END}, progress = j.progress || asked.progress${kind.sets ?? ''}
        FROM mine JOIN asked USING (id)
        WHERE j.id = mine.id${kind.only === undefined ? '' : ` AND (${kind.only} OR ${NEEDS_UPDATE})`}
      ), held AS (
        SELECT id, account_id FROM mine
      )${kind.more ?? ''}
      SELECT held.id${kind.columns ?? ''} FROM held ${kind.joins ?? ''}`,
      { ...(kind.due === undefined && { leaseS }), ...values },
    ),
  })
  const written = new Map(rows.map((row) => [row.id, row]))
  return all.map(({ id }) => written.get(id))
}

/** Writes for one claim: in one statement with those of the same tick, or alone where it is large. */
export async function writeOne(
  pool: Pool,
  kind: WriteKind,
  leaseS: number,
  writing: FencedWrite,
): Promise<WriteResult> {
  if (Object.values(writing).some((value) => String(value).length >= BATCHED_BELOW_CHARACTERS))
    return (await writeFenced(pool, kind, leaseS, [writing]))[0]
  return batched(pool, `generation ${kind.name}`, writing, (all) => writeFenced(pool, kind, leaseS, all))
}

/** New progress, or half the lease is over; else the row's six indexes stay untouched. */
const NEEDS_UPDATE = "asked.progress <> '{}' OR j.due_at < now() + make_interval(secs => :leaseS / 2.0)"

export const ENTER_STEP: WriteKind = {
  name: 'enter',
  casts: { status: 'text', told: 'uuid', event: 'text', url: 'text', body: 'text' },
  sets: ', status = asked.status',
  more: `, notifications AS (
    SELECT asked.told AS id, held.account_id, asked.event, held.id AS subject_id, asked.url, asked.body
    FROM held JOIN asked USING (id) WHERE asked.told IS NOT NULL
  ), telling AS (${insertIntoOutbox('notifications')})`,
}

/** Begins a call unless its provider is in trouble; earlier ones are lost, and it reuses the key of one. */
export const BEGIN_CALL: WriteKind = {
  name: 'intend',
  only: 'false',
  casts: { call: 'uuid', step: 'text', part: 'text', provider: 'text', model: 'text', probing: 'boolean' },
  more: `, clear AS (
    SELECT held.id FROM held JOIN asked USING (id)
    WHERE asked.probing OR NOT EXISTS (
      SELECT FROM generation_provider p
      WHERE p.name IN (asked.provider, asked.provider || '/' || asked.model) AND p.trouble IS NOT NULL)
  ), unacknowledged AS (
    UPDATE generation_call c SET outcome = 'lost', ended_at = now()
    FROM clear JOIN asked USING (id)
    WHERE c.job_id = asked.id AND c.step = asked.step AND c.part = asked.part AND c.outcome = 'in_flight'
    RETURNING c.job_id, c.key, c.provider, c.model, false AS told, NULL AS said, c.intent_at
  ), before AS (
    SELECT * FROM unacknowledged
    UNION ALL
    SELECT c.job_id, c.key, c.provider, c.model, c.error ->> 'code' <> 'STORAGE_FAILED', c.error ->> 'message', c.intent_at
    FROM clear JOIN asked USING (id)
    JOIN generation_call c ON c.job_id = asked.id AND c.step = asked.step AND c.part = asked.part AND c.outcome = 'lost'
  ), called AS (
    INSERT INTO generation_call (id, key, job_id, step, part, provider, model, perhaps_paid_twice)
    SELECT asked.call, coalesce((
        SELECT key FROM before
        WHERE before.job_id = asked.id AND before.provider = asked.provider AND before.model = asked.model LIMIT 1
      ), asked.call), asked.id, asked.step, asked.part, asked.provider, asked.model,
      EXISTS (SELECT FROM before WHERE before.job_id = asked.id)
    FROM clear JOIN asked USING (id)
    RETURNING job_id AS id, key
  ), lost AS (
    SELECT before.* FROM before JOIN asked ON asked.id = before.job_id
      AND asked.provider = before.provider AND asked.model = before.model WHERE told
  )`,
  columns: `, called.key, (SELECT count(*)::int FROM lost WHERE lost.job_id = held.id) AS unacknowledged,
    (SELECT said FROM lost WHERE lost.job_id = held.id ORDER BY intent_at DESC LIMIT 1) AS said`,
  joins: 'LEFT JOIN called USING (id)',
}

/** Stores a part, with or without a call, and clears crashes and failures: the job made progress. */
export const STORE_PART: WriteKind = {
  name: 'store',
  casts: { call: 'uuid', step: 'text', part: 'text', answer: 'jsonb', usage: 'jsonb', cost: 'bigint' },
  sets: ', crashes = 0, attempts = 0, stalled_since = NULL',
  only: 'greatest(j.crashes, j.attempts) > 0 OR j.stalled_since IS NOT NULL',
  more: `, called AS (
    UPDATE generation_call c SET outcome = 'answered', ended_at = now(), usage = asked.usage, cost_micros = asked.cost
    FROM held JOIN asked USING (id) WHERE c.id = asked.call
  ), part AS (
    INSERT INTO generation_part (job_id, step, name, answer, answered_at)
    SELECT asked.id, asked.step, asked.part, asked.answer, now() FROM held JOIN asked USING (id)
    ON CONFLICT (job_id, step, name) DO UPDATE SET answer = excluded.answer, answered_at = excluded.answered_at
  )`,
}

export const END_CALL: WriteKind = {
  name: 'call-ended',
  only: 'false',
  casts: { call: 'uuid', outcome: 'text', error: 'jsonb' },
  more: `, called AS (
    UPDATE generation_call c SET outcome = asked.outcome, ended_at = now(), error = asked.error
    FROM held JOIN asked USING (id) WHERE c.id = asked.call
  )`,
}

export const RELEASE_JOB: WriteKind = {
  name: 'give-back',
  casts: { waits_for: 'text', in_ms: 'float8', attempts: 'int', untouched: 'boolean' },
  due: "coalesce(now() + asked.in_ms * interval '1 millisecond', least(j.created_at, now()))",
  sets: `, leased_by = NULL, crashes = 0, attempts = asked.attempts, waits_for = asked.waits_for,
    stalled_on = asked.waits_for,
    stalled_since = CASE WHEN asked.waits_for <> '' OR asked.in_ms IS NOT NULL THEN coalesce(j.stalled_since, now()) END,
    status = CASE WHEN asked.untouched THEN 'pending' ELSE j.status END,
    started_at = CASE WHEN asked.untouched THEN NULL ELSE j.started_at END`,
  more: `, known AS (
    INSERT INTO generation_provider (name)
    SELECT DISTINCT asked.waits_for FROM held JOIN asked USING (id) WHERE asked.waits_for <> '' ORDER BY 1
    ON CONFLICT (name) DO NOTHING
  )`,
}

const endStatement = (status: 'completed' | 'failed', column: 'result' | 'error', more = ''): WriteKind => ({
  name: `end-${status}`,
  casts: { outcome: 'jsonb', warnings: 'jsonb', told: 'jsonb' },
  due: 'NULL',
  sets: `, status = '${status}', ${column} = asked.outcome, warnings = asked.warnings, leased_by = NULL, stalled_since = NULL, ended_at = now()`,
  more: `, notifications AS (
    SELECT told.*, held.account_id, held.id AS subject_id
    FROM held JOIN asked USING (id), jsonb_to_recordset(asked.told) AS told (id uuid, event text, url text, body text)
  ), telling AS (${insertIntoOutbox('notifications')})${more}`,
})

export const END_JOB = {
  completed: endStatement('completed', 'result'),
  failed: endStatement('failed', 'error', `, ${refundCredits('held')}`),
}

/** Ends a job that has not ended, tells of it and refunds so many credits, whoever holds it. */
export const CANCEL_JOB = `
WITH ended AS (
  UPDATE generation_job SET status = 'cancelled', due_at = NULL, leased_by = NULL, fence = fence + 1, waits_for = '',
    stalled_since = NULL, ended_at = now()
  WHERE id = :id::uuid RETURNING id, account_id
), notifications AS (
  SELECT told.*, ended.account_id, ended.id AS subject_id
  FROM ended, jsonb_to_recordset(:told::jsonb) AS told (id uuid, event text, url text, body text)
), telling AS (${insertIntoOutbox('notifications')}), ${refundCredits('ended', ':refunded::int')}
SELECT FROM ended`
