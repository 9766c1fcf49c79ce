import { transition } from '../ledger/transition.ts'

// Parts of the statements by which a person has deliveries tried again: one (retry.ts), and many together (together.ts).

/**
 * Assignments of an UPDATE of `d`. A person's leave to write over a post (`:overwrite`), or to set its status alone
 * (`:statusOnly`), is for that post on that site.
 */
export const REQUEUED = `${transition('retry', { to: 'queued', due: 'now()' })}, attempts = 0, error = NULL,
  site_failed_at = NULL, site_failures = 0,
  answered = CASE WHEN NOT (:overwrite OR :statusOnly) OR d.post_id IS NULL THEN d.answered
    ELSE d.answered || jsonb_build_object('overwrite',
      jsonb_build_object('siteId', d.site_id, 'postId', d.post_id, 'statusOnly', :statusOnly::boolean)) END`

/** What `d` is to be made from is still kept. */
export const HAS_DOCUMENT =
  'EXISTS (SELECT FROM event WHERE event.id = d.wanted_event_id AND event.body IS NOT NULL)'

/** Sites in trouble of what was `retried` are tried with it: in the same statement, or the site's worker would hold it again. */
export const LET_PROBE = `UPDATE site SET paused_until = now() FROM retried
    WHERE site.account_id = retried.account_id AND site.id = retried.site_id AND site.trouble IS NOT NULL`
