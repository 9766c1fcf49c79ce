import type { Client } from 'pg'
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
type DatabaseFailure = 'away' | 'silent' | 'conflict' | 'refused'

/**
 * No connection (08), no room (53), a shutdown or a start (57P), a disk or a PostgreSQL in trouble (58, XX), a standby
 * that is not yet the primary (25006), a transaction that stood still for too long, since its process did (25P03).
 */
const UNAVAILABLE_STATES = /^(08...|25006|25P03|53...|57...|58...|XX...)$/

/** serialization_failure, deadlock_detected, lock_not_available. */
const CONFLICT: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])

/** unique_violation. */
const UNIQUE_VIOLATION = '23505'

/** foreign_key_violation. */
const FOREIGN_KEY_VIOLATION = '23503'

/** data_exception, integrity_constraint_violation. */
const DATA_STATES = /^2[23][0-9A-Z]{3}$/

/** Those of a server that does not let one in, for what is to be done about each. */
export const CONNECTION_REFUSED_STATES = {
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
const PRISMA_ERRORS: Readonly<Record<string, DatabaseFailure>> = {
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
  const chain = causeChain(error)
  for (const { code, message } of chain) {
    if (UNREACHABLE.has(code) || NO_CONNECTION.test(message)) return 'away'
    if (BROKEN.has(code) || READ_TIMEOUT.test(message) || NO_ANSWER.test(message)) return 'silent'
    if (!SQLSTATE.test(code)) continue
    if (UNAVAILABLE_STATES.test(code)) return 'away'
    return CONFLICT.has(code) ? 'conflict' : 'refused'
  }
  return chain.map(({ code }) => PRISMA_ERRORS[code]).find((trouble) => trouble !== undefined)
}

/** Whether it is trouble of the database that passes: the same statement may be taken later. */
export const isTransientDatabaseError = (error: unknown): boolean => {
  const trouble = databaseFailure(error)
  return trouble !== undefined && trouble !== 'refused'
}

/** Whether no answer came for as long as one was waited for: who ends a connection says so, or the system does. */
export const isReadTimeout = ({ message }: Error): boolean => READ_TIMEOUT.test(message)

/** Whether a row with this key is there already. */
export const isUniqueViolation = (error: unknown): boolean =>
  causeChain(error).some(({ code }) => code === UNIQUE_VIOLATION || code === 'P2002')

/** Whether the user may not do that. */
export const isInsufficientPrivilege = (error: unknown): boolean =>
  causeChain(error).some(({ code }) => code === CONNECTION_REFUSED_STATES.noRight)

/** foreign_key_violation: the row it belongs to is not there. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  causeChain(error).some(({ code }) => code === FOREIGN_KEY_VIOLATION)

/** Whether it is the values that are refused (data exception, integrity constraint), and not the statement as such. */
export const isDataError = (error: unknown): boolean =>
  causeChain(error).some(({ code }) => DATA_STATES.test(code))

/** What PostgreSQL itself said, with its SQLSTATE; undefined where it said nothing. */
export function databaseMessage(error: unknown): string | undefined {
  const said = causeChain(error).find(({ code }) => SQLSTATE.test(code))
  return said && `${said.message} (SQLSTATE ${said.code})`
}

interface ErrorLink {
  code: string
  message: string
}

/**
 * An error and its causes. Prisma's adapter puts what pg said into a cause that is no Error (`originalCode`). One of ours has
 * said already whose failure it is, and nothing in it is of the database: a provider or a store refuses a connection in the
 * same words.
 */
function causeChain(error: unknown): ErrorLink[] {
  const chain: ErrorLink[] = []
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

/** What to do about a database that lets nobody in, by SQLSTATE or by the system's code. */
const connectionAdvice: Readonly<Record<string, string>> = {
  [CONNECTION_REFUSED_STATES.password]:
    'The user or the password in DATABASE_URL is wrong. Characters such as @ / : # % in it are written as %40 %2F %3A %23 %25.',
  [CONNECTION_REFUSED_STATES.authorization]:
    'This user may not connect from here: see pg_hba.conf of that PostgreSQL, and whether it wants TLS (?sslmode=require).',
  [CONNECTION_REFUSED_STATES.noDatabase]:
    'There is no such database. Create one (createdb), or name another at the end of DATABASE_URL.',
  [CONNECTION_REFUSED_STATES.noRight]:
    'This user may not connect to that database. Give it the right with: GRANT CONNECT ON DATABASE … TO …',
  [CONNECTION_REFUSED_STATES.full]:
    'It has no connection left. Raise max_connections, or stop something else that uses it.',
  [CONNECTION_REFUSED_STATES.notNow]: 'It is just starting or stopping. Try again in a moment.',
  ENOTFOUND: 'No machine has that name. Check the host in DATABASE_URL.',
  EAI_AGAIN:
    'The name of the machine could not be looked up. Check the host in DATABASE_URL, and the DNS of this machine.',
  ECONNREFUSED:
    'Nothing listens there. Check that PostgreSQL is running, and the host and port in DATABASE_URL.',
  ENOENT: 'There is no PostgreSQL socket. Check that it is running, and the host in DATABASE_URL.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'Its certificate is not signed by an authority that this machine trusts. Name that authority with ?sslrootcert=FILE.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'Its certificate is self-signed. Name it with ?sslrootcert=FILE if you trust it.',
}

const defaultAdvice = 'Check that PostgreSQL is running there and that DATABASE_URL names it correctly.'

/** A database that could not be connected to, in words for whoever has set DATABASE_URL. */
export function databaseUnreachable({ host, port, database }: Client, cause: Error): GalleyError {
  // A name with several addresses fails with one error for each, and no message of its own.
  const errors: (Error & { code?: string })[] = cause instanceof AggregateError ? cause.errors : [cause]
  const reason = [...new Set(errors.map((error) => error.message))].join('; ')
  const known = errors.map(({ code }) => connectionAdvice[code ?? '']).find((text) => text !== undefined)
  return new GalleyError({
    code: 'database_unreachable',
    message: `The database "${database}" at ${host}:${port} cannot be used: ${reason}. ${known ?? defaultAdvice}`,
    action: 'retry',
    cause,
  })
}
