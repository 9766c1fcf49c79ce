import type { Logger } from '../log.ts'

/** What this room needs of a logger; pino's fits. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>
