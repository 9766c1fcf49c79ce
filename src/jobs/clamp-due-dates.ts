/**
 * After the clock of the database was put back, no row is due later than if it were planned now; what waits for its turn keeps
 * its order.
 *
 * @param table with `due_at`, `leased_by` and `attempts`
 * @param backoff SQL, the milliseconds for which one that has failed `attempts` times waits
 * @returns a statement with the parameter `leaseS`, and those of `backoff`
 */
export const clampDueDates = (table: string, backoff: string): string => `
  WITH ahead AS (
    SELECT coalesce(max(due_at) FILTER (WHERE leased_by IS NULL AND attempts = 0), now()) - now() AS by
    FROM ${table} WHERE due_at > now()
  )
  UPDATE ${table} SET due_at = CASE
    WHEN leased_by IS NOT NULL THEN least(due_at, now() + make_interval(secs => :leaseS))
    WHEN attempts > 0 THEN least(due_at, now() + ${backoff} * interval '1 millisecond')
    ELSE due_at - ahead.by END
  FROM ahead WHERE due_at > now()`
