import type { Pool } from 'pg'
import { isoInstant } from '../../database/statement.ts'
import { IS_ACCOUNT_ENABLED } from '../../jobs/job.ts'
import { eventLiteral, notifyReceivers } from '../../notifications/notify.ts'
import { notifiedSiteColumns } from '../../sites/health/state.ts'
import { MOST_COUNTED, outageNotification, waitingForSite } from '../ledger/outage.ts'

/** Sites that fail, or need a person, for less time than this are not told of as a whole yet: others may follow. */
const TOLD_AFTER = "interval '30 seconds'"

/** Tells receivers of all sites how many have this cause. @param relation `id`, `account_id`, `code`, `event`, `since`, `site_count` */
const causeNotification = (relation: string, isOfCause: string): string => `counted AS (
    SELECT of.*, said.* FROM ${relation} of CROSS JOIN LATERAL (
      SELECT coalesce(sum(waits.n), 0) AS waiting, coalesce(bool_or(waits.n >= ${MOST_COUNTED}), false) AS waiting_more,
        (array_agg(s.trouble ->> 'message' ORDER BY s.trouble_since))[1] AS example
      FROM site s CROSS JOIN LATERAL (SELECT ${waitingForSite('s')} AS n) waits WHERE s.account_id = of.account_id AND s.trouble ->> 'code' = of.code AND ${isOfCause}) said
  ), ${notifyReceivers({
    relation: 'counted',
    event: 'told.event',
    subject: 'told.id',
    site: 'NULL::uuid',
    data: `json_build_object('id', told.id, 'code', told.code, 'since', ${isoInstant('told.since')},
      'site_count', told.site_count, 'waiting', told.waiting,
      'waiting_more', told.waiting_more, 'example', told.example)`,
  })}`

// One has not ended while a site that it befell is in trouble: an outage that goes on shows other causes. Nobody is told of one
// whose sites were all removed.
const BEGAN_OR_ENDED = `
  WITH failing AS (
    SELECT account_id, trouble ->> 'code' AS code, count(*)::int AS site_count, min(trouble_since) AS began_at, array_agg(id) AS site_ids
    FROM site WHERE trouble IS NOT NULL GROUP BY account_id, trouble ->> 'code'
  ), began AS (
    INSERT INTO outage (id, account_id, code, began_at, site_count, site_ids)
    SELECT gen_random_uuid(), account_id, code, began_at, site_count, site_ids FROM failing WHERE began_at < now() - ${TOLD_AFTER}
    ON CONFLICT (account_id, code) DO NOTHING RETURNING *
  ), grown AS (
    UPDATE outage SET site_count = greatest(outage.site_count, failing.site_count),
      site_ids = ARRAY(SELECT unnest(outage.site_ids) UNION SELECT unnest(failing.site_ids))
    FROM failing WHERE outage.account_id = failing.account_id AND outage.code = failing.code
      AND (outage.site_count < failing.site_count OR NOT failing.site_ids <@ outage.site_ids)
  ), ended AS (
    DELETE FROM outage WHERE NOT EXISTS (
      SELECT FROM site WHERE site.account_id = outage.account_id AND site.trouble IS NOT NULL
        AND (site.trouble ->> 'code' = outage.code OR site.id = ANY (outage.site_ids)))
    RETURNING *
  ), changed AS (
    SELECT began.*, began_at AS since, ${eventLiteral('outage.began')} AS event FROM began
    UNION ALL SELECT ended.*, began_at, ${eventLiteral('outage.ended')} FROM ended
    WHERE EXISTS (SELECT FROM site WHERE site.account_id = ended.account_id AND site.id = ANY (ended.site_ids))
  ), ${causeNotification('changed', 'true')}
  SELECT FROM changed`

const HEARS_OF_CAUSES = `r.site_ids = '{}' AND r.labels = '{}' AND ${eventLiteral('outage.needs_person')} = ANY (r.events)`

const NEEDS_PERSON = 'stopped_at IS NULL AND attention_at <= now()'

// All of a cause are told of together, once the first has needed somebody for a while. Nobody tries sites of a disabled account.
const NEED_PERSON = `
  WITH causes AS (
    SELECT account_id, trouble ->> 'code' AS code FROM site
    WHERE ${NEEDS_PERSON} AND NOT attention_told AND ${IS_ACCOUNT_ENABLED('site.account_id')}
    GROUP BY 1, 2 HAVING min(attention_at) < now() - ${TOLD_AFTER}
  ), late AS (
    SELECT site.account_id, site.id FROM site JOIN causes ON causes.account_id = site.account_id AND causes.code = site.trouble ->> 'code'
    WHERE ${NEEDS_PERSON} AND NOT attention_told ORDER BY site.account_id, site.id FOR UPDATE OF site SKIP LOCKED
  ), stuck AS (
    UPDATE site SET attention_told = true FROM late WHERE site.account_id = late.account_id AND site.id = late.id
    RETURNING ${notifiedSiteColumns('site')}
  ), changed AS (
    SELECT coalesce(outage.id, gen_random_uuid()) AS id, account_id, code, ${eventLiteral('outage.needs_person')} AS event,
      min(since) AS since, count(*)::int AS site_count
    FROM (SELECT account_id, trouble ->> 'code' AS code, since FROM stuck) of LEFT JOIN outage USING (account_id, code)
    GROUP BY account_id, code, outage.id
  ), ${causeNotification('changed', NEEDS_PERSON)}, ${notifyReceivers(
    outageNotification('stuck', `NOT (${HEARS_OF_CAUSES})`),
    'of_sites',
  )}
  SELECT FROM changed`

/** Tells receivers of all sites when an outage of a cause begins, needs a person, and ends, beside those of single sites. */
export async function reportOutages(pool: Pool): Promise<void> {
  await pool.query({ name: 'report-outages', text: BEGAN_OR_ENDED })
  await pool.query({ name: 'report-needs-person', text: NEED_PERSON })
}
