import { isReadyInQueue } from '../../jobs/job.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { waitsForOwner } from '../../sites/health/state.ts'
import { addSiteWorker, siteWorkerJob } from '../jobs.ts'
import { isDue, isWorkedOn } from './claim.ts'
import { deliveryNotifications, notifiedColumns } from './notifications.ts'
import { initialState, transition, transitionAllowed } from './state.ts'

const FIRST_PLAN = initialState<'plan'>(
  { when: 'obstacle IS NULL', to: 'queued', due: 'now()' },
  { to: 'held' },
)

const NEW_VERSION = transition(
  'plan',
  { when: transitionAllowed('plan', 'd'), stateOf: 'excluded.status', due: 'excluded.due_at' },
  { stateOf: 'd.status', due: 'd.due_at' },
)

const PLANNED_SITE = { accountId: 'due.account_id', siteId: 'due.site_id' }

/** A condition on `event`, a relation of that table: a delivery of it failed, and could be made if its body came again. */
export const planObstacle = (event: string): string => `EXISTS (
  SELECT 1 FROM delivery
  WHERE delivery.account_id = ${event}.account_id AND delivery.status = 'failed' AND delivery.wanted_event_id = ${event}.id)`

/**
 * CTEs that plan deliveries and their jobs, without a comma behind the last. The statement has to select from `site_jobs`.
 * @param asked a relation of it: `event_id`, `wanted_seq` (of the event, see storeEvents), `delivery_id`, `account_id`,
 *   `site_id`, `document_id`, `reference`, `source_id`, `title`; no document twice for a site of an account
 */
export const planDeliveries = (asked: string): string => `
-- what keeps a delivery from starting: no such site in this account, or a site that waits for its owner
wanted AS (
  SELECT asked.*, CASE
      WHEN site.id IS NULL THEN jsonb_build_object('code', 'site_unknown', 'step', 'plan', 'message',
        'The webhook names site ' || asked.site_id || ', which is not connected. Connect it under this id,'
        || ' or send the delivery to another site with a retry.')
      WHEN ${waitsForOwner('site')} THEN site.trouble || '{"step": "plan"}'
    END AS obstacle
  FROM ${asked} asked LEFT JOIN site ON site.id = asked.site_id AND site.account_id = asked.account_id
),
planned AS (
  INSERT INTO delivery AS d (id, account_id, site_id, document_id, reference, source_id, title, wanted_event_id, wanted_seq,
    status, due_at, error)
  SELECT delivery_id, account_id, site_id, document_id, reference, source_id, title, event_id, wanted_seq,
    ${FIRST_PLAN.status}, ${FIRST_PLAN.due}, obstacle
  FROM wanted ORDER BY account_id, site_id, document_id
  -- A newer event of a known document: one being delivered finishes first and then sees what is wanted.
  ON CONFLICT (account_id, site_id, document_id) DO UPDATE SET
    wanted_event_id = excluded.wanted_event_id, wanted_seq = excluded.wanted_seq,
    reference = excluded.reference, source_id = excluded.source_id, title = excluded.title, on_loss = NULL, withdraw_to = NULL,
    ${NEW_VERSION}, requested_at = now(),
    error = CASE WHEN ${transitionAllowed('plan', 'd')} THEN excluded.error ELSE d.error END,
    attempts = CASE WHEN ${transitionAllowed('plan', 'd')} THEN 0 ELSE d.attempts END
  -- Of the row itself, as it is under its lock: a look at other tables would see them as they were before the wait for
  -- it. Equal is the wanted one, whose body has come again.
  WHERE d.wanted_seq <= excluded.wanted_seq
  RETURNING ${notifiedColumns('d')}, d.wanted_event_id
),
${notifyReceivers(deliveryNotifications('planned', "told.error ->> 'code' = 'site_unknown'"))},
recorded AS (
  INSERT INTO delivery_step (delivery_id, step, outcome, detail)
  SELECT id, 'plan', status, 'event ' || wanted_event_id FROM planned
),
-- A job that waits already, or a process that has more of the site to do, will see what is stored here; to write the job
-- again would cost several times what an event does. Should it look in the very moment before this commit, the sweep
-- queues the site within two seconds.
site_jobs AS (
  SELECT ${addSiteWorker('account_id', 'site_id')}
  FROM (SELECT DISTINCT account_id, site_id FROM planned WHERE status = 'queued' ORDER BY account_id, site_id) AS due
  WHERE NOT ${isReadyInQueue(siteWorkerJob, PLANNED_SITE)} AND NOT (${isWorkedOn(PLANNED_SITE)} AND ${isDue(PLANNED_SITE)})
)`

/** Of what {@link planDeliveries} planned for an event, the deliveries that were held at once, each a `HeldLogEntry`. */
export const heldOf = (eventId: string): string => `(
  SELECT coalesce(jsonb_agg(jsonb_build_object('delivery', id, 'document', document_id, 'site', site_id,
    'code', error ->> 'code')), '[]')
  FROM planned WHERE wanted_event_id = ${eventId} AND status = 'held')`
