import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Timing } from '../../jobs/timing.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { addOrphanCheck } from '../jobs.ts'
import { deliveryOutcomes, notifiedColumns } from './notifications.ts'
import type { DeliveryRow } from './row.ts'
import { mayTransition, transition } from './transition.ts'

/** Claims in a row whose process ended over them, after which a delivery is done with no other beside it. */
export const CRASHES_BEFORE_ALONE = 2

/** And after which it is left aside: the last one can have been nobody else's. */
const MOST_CRASHES = 3

const IS_BLAMED = `cardinality(c.crashed) >= ${MOST_CRASHES}`

const NOTIFICATIONS = notifyReceivers(deliveryOutcomes('taken'))

const HELD_WORDS =
  "Galley's process ended three times while it worked on this delivery, the last time on nothing else, so it is left aside and the others go on. Most likely the document, one of its pictures or an answer of the site needs more memory than the process has. Send it smaller, or give the process more memory (NODE_OPTIONS=--max-old-space-size, in megabytes), then retry this delivery. The last lines of the process say how it ended."

/**
 * Queues again what nobody works on any more: its process has died, or has lost sight of it. A death is counted on the
 * delivery, by the fence of the claim: it may have been the cause. Not counted is what a process gave back, and what was
 * under way in one that was asked to stop.
 *
 * One that is held for it, and for which a site may have made something that nobody heard of, is planned to be looked for
 * (maintenance/orphans.ts): no attempt of its own will settle it and plan that.
 *
 * To be called only by a process that has itself been heard for as long as it takes to call another one dead: after a gap
 * of the database everybody's beat is old. A process that merely slept takes its death back (see {@link notDead}).
 */
export async function takeOver(database: Queryable, { deadAfterS, orphansAfterMs }: Timing): Promise<void> {
  await database.query({
    name: 'take-over',
    ...named(
      `WITH alive AS (
        SELECT id FROM worker_process WHERE beat_at > now() - make_interval(secs => :deadAfterS)
      ), abandoned AS (
        SELECT d.id, d.fence, d.crashed, d.leased_by IS NOT NULL AND p.stopping_at IS NULL
          AND NOT EXISTS (SELECT FROM alive WHERE alive.id = d.leased_by) AS died
        FROM delivery d LEFT JOIN worker_process p ON p.id = d.leased_by
        WHERE ${mayTransition('takeOver', 'd')}
          AND (d.due_at <= now() OR NOT EXISTS (SELECT FROM alive WHERE alive.id = d.leased_by))
        ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d SKIP LOCKED
      ), counted AS (
        SELECT id, died, CASE WHEN died THEN crashed || fence ELSE crashed END AS crashed FROM abandoned
      ), taken AS (
        UPDATE delivery d SET crashed = c.crashed, leased_by = NULL,
          ${transition('takeOver', { when: IS_BLAMED, to: 'held' }, { to: 'queued', due: 'now()' })},
          error = CASE WHEN NOT (${IS_BLAMED}) THEN d.error ELSE jsonb_build_object(
            'code', 'process_ended', 'message', :words::text, 'step', coalesce(
              (SELECT s.step FROM delivery_step s WHERE s.delivery_id = d.id ORDER BY s.id DESC LIMIT 1), 'plan')) END
        FROM counted c WHERE d.id = c.id
        RETURNING ${notifiedColumns('d')}, d.ambiguous_at, c.died
      ), ${NOTIFICATIONS}, recorded AS (
        INSERT INTO delivery_step (delivery_id, step, outcome, detail)
        SELECT id, 'claim', CASE WHEN status = 'held' THEN 'held' ELSE 'process_ended' END,
          CASE WHEN status = 'held' THEN (error ->> 'code') || ': ' || (error ->> 'message')
            ELSE 'the process that worked on this ended' END
        FROM taken WHERE died
      )
      SELECT ${addOrphanCheck('id', '0', ':orphansAfterMs')} FROM taken WHERE status = 'held' AND ambiguous_at IS NOT NULL`,
      { deadAfterS, words: HELD_WORDS, orphansAfterMs },
    ),
  })
}

const REVIVED = transition(
  'revive',
  { when: 'found.wrongly_held', to: 'queued', due: 'now()' },
  { stateOf: 'd.status', due: 'd.due_at' },
)

/**
 * Says that the process of this claim lives: it only slept, or had lost the database, and has found its delivery taken
 * over. The death that was counted for it was none.
 */
export async function notDead(pool: Pool, { id, fence }: Pick<DeliveryRow, 'id' | 'fence'>): Promise<void> {
  await pool.query(
    named(
      `UPDATE delivery d SET crashed = found.crashed, ${REVIVED},
         error = CASE WHEN found.wrongly_held THEN NULL ELSE d.error END
       FROM (
         SELECT d.id, array_remove(d.crashed, :fence::int) AS crashed,
           ${mayTransition('revive', 'd')} AND d.error ->> 'code' = 'process_ended'
             AND cardinality(array_remove(d.crashed, :fence::int)) < ${MOST_CRASHES} AS wrongly_held
         FROM delivery d WHERE d.id = :id AND :fence::int = ANY (d.crashed) FOR UPDATE
       ) found
       WHERE d.id = found.id`,
      { id, fence },
    ),
  )
}
