/** Days after which a session has ended, however much it is used. */
export const SESSION_DAYS = 14

/** Hours without a request after which it has ended. */
const IDLE_HOURS = 24

/** Sessions that a key has at once; one more ends the oldest. */
export const SESSIONS_OF_KEY = 50

/** Whether a row of `session`, by this name in the statement, has not ended by itself. */
export const LIVE = (row: string) =>
  `(${row}.created_at > now() - interval '${SESSION_DAYS} days' AND ${row}.last_used_at > now() - interval '${IDLE_HOURS} hours')`
