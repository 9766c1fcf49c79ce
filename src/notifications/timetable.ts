/** Minutes from a failed attempt to the next one. The first attempt is made at once, so there are four in all. */
export const RETRY_AFTER_MINUTES = [5, 15, 30] as const

/** Milliseconds that a receiver has for its answer. */
export const ANSWER_WITHIN_MS = 5_000

/**
 * Seconds for which an attempt belongs to the process that began it: the time for an answer, and some for writing down what
 * came of it. One that dies is known at once (`presence.ts`); this is for one that sleeps.
 */
export const LEASE_S = 10

/** The same of a mail, for which there is more time. */
export const MAIL_LEASE_S = 30

/** Milliseconds between two looks at what is due: how late an attempt is, at most, where nothing stands in its way. */
export const LOOK_MS = 250

/** Attempts, in a row, that ended with their process. One more is not begun: something in it may be what ends them. */
export const MOST_INTERRUPTED = 10

/** What is kept of one that was not. */
export const NOT_BEGUN_CODE = 'not_begun'

/**
 * How many attempts are under way at once. Receivers that hang, each for five seconds, must not keep others waiting: those
 * of one address, of one account, and all together have places of their own; so has the mail of an account, since a mail
 * server takes few connections.
 */
export const PLACES = { ofOrigin: 25, ofMail: 5, ofAccount: 200, ofProcess: 800 } as const

/** Bytes of bodies that one process has in memory at most, beside the first. */
export const BYTES_AT_ONCE = 32 * 1024 * 1024
