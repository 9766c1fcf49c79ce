import { GalleyError } from '../errors.ts'

/**
 * What an error of the database means for whoever asked, judged by its SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). The one place where they are compared.
 *
 * - `away`: it cannot work just now, and nothing was changed. The same statement passes when it is itself again.
 * - `silent`: no answer came. The statement may have been carried out.
 * - `conflict`: it was given up in favour of another, and nothing was changed. The same statement passes at once.
 * - `refused`: the statement itself is not taken, and never will be.
 */
export type DatabaseFailure = 'away' | 'silent' | 'conflict' | 'refused'

/**
 * No connection (08), no room (53), a shutdown or a start (57P), a disk or a PostgreSQL in trouble (58, XX), a standby
 * that is not yet the primary (25006), a transaction that stood still for too long, since its process did (25P03).
 */
const AWAY = /^(08...|25006|25P03|53...|57...|58...|XX...)$/

/** serialization_failure, deadlock_detected, lock_not_available. */
const CONFLICT: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])

/** unique_violation. */
const TAKEN = '23505'

/** foreign_key_violation. */
const ORPHAN = '23503'

/** data_exception, integrity_constraint_violation. */
const OF_DATA = /^2[23][0-9A-Z]{3}$/

/** Those of a server that does not let one in, for what is to be done about each. */
export const NOT_LET_IN = {
  /** invalid_password. */
  password: '28P01',
  /** invalid_authorization_specification. */
  authorization: '28000',
  /** invalid_catalog_name. */
  noDatabase: '3D000',
  /** insufficient_privilege. */
  noRight: '42501',
  /** too_many_connections. */
  full: '53300',
  /** cannot_connect_now: the server starts, recovers or shuts down. */
  notNow: '57P03',
} as const

/** What Node says of a server that takes no connection: nothing has reached it. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** What Node says of a connection that broke, and pg, without a code, of an answer that did not come or broke off. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
const READ_TIMEOUT = /^Query read timeout/
const NO_ANSWER = /^(Connection terminated\b|Client has encountered a connection error|Client was closed)/
const NO_CONNECTION = /^timeout exceeded when trying to connect/

/** Classes of PostgreSQL's own codes: Node's have five letters as well, now and then (`EPIPE`), and so have Prisma's (`P2002`). */
const SQLSTATE = /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/

/** Prisma's words for the same, where it keeps no cause (https://www.prisma.io/docs/orm/reference/error-reference). */
const OF_PRISMA: Readonly<Record<string, DatabaseFailure>> = {
  P1001: 'away',
  P1002: 'away',
  P2024: 'away',
  P2037: 'away',
  P1008: 'silent',
  P1017: 'silent',
  P2034: 'conflict',
}

/** What the database had against a statement; undefined where the error is none of the database's. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  const chain = chainOf(error)
  for (const { code, message } of chain) {
    if (UNREACHABLE.has(code) || NO_CONNECTION.test(message)) return 'away'
    if (BROKEN.has(code) || READ_TIMEOUT.test(message) || NO_ANSWER.test(message)) return 'silent'
    if (!SQLSTATE.test(code)) continue
    if (AWAY.test(code)) return 'away'
    return CONFLICT.has(code) ? 'conflict' : 'refused'
  }
  return chain.map(({ code }) => OF_PRISMA[code]).find((trouble) => trouble !== undefined)
}

/** Whether it is trouble of the database that passes: the same statement may be taken later. */
export const isPassing = (error: unknown): boolean => {
  const trouble = databaseFailure(error)
  return trouble !== undefined && trouble !== 'refused'
}

/** Whether no answer came for as long as one was waited for: who ends a connection says so, or the system does. */
export const isOverdue = ({ message }: Error): boolean => READ_TIMEOUT.test(message)

/** Whether a row with this key is there already. */
export const isTaken = (error: unknown): boolean =>
  chainOf(error).some(({ code }) => code === TAKEN || code === 'P2002')

/** Whether the user may not do that. */
export const lacksRight = (error: unknown): boolean =>
  chainOf(error).some(({ code }) => code === NOT_LET_IN.noRight)

/** foreign_key_violation: the row it belongs to is not there. */
export const isOrphan = (error: unknown): boolean => chainOf(error).some(({ code }) => code === ORPHAN)

/** Whether it is the values that are refused (data exception, integrity constraint), and not the statement as such. */
export const refusesData = (error: unknown): boolean => chainOf(error).some(({ code }) => OF_DATA.test(code))

/** What PostgreSQL itself said, with its SQLSTATE; undefined where it said nothing. */
export function saidByDatabase(error: unknown): string | undefined {
  const said = chainOf(error).find(({ code }) => SQLSTATE.test(code))
  return said && `${said.message} (SQLSTATE ${said.code})`
}

interface Said {
  code: string
  message: string
}

/**
 * An error and its causes. Prisma's adapter puts what pg said into a cause that is no Error (`originalCode`). One of ours has
 * said already whose failure it is, and nothing in it is of the database: a provider or a store refuses a connection in the
 * same words.
 */
function chainOf(error: unknown): Said[] {
  const chain: Said[] = []
  let link: unknown = error
  for (let depth = 0; depth < 8 && typeof link === 'object' && link !== null; depth += 1) {
    if (link instanceof GalleyError) return []
    const { code, message, originalCode, originalMessage, cause, meta } = link as Record<string, unknown>
    chain.push({ code: text(originalCode) || text(code), message: text(originalMessage) || text(message) })
    link = cause ?? (meta as Record<string, unknown> | undefined)?.driverAdapterError
  }
  return chain
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
