import type { Client } from 'pg'
import { GalleyError } from '../errors.ts'

/**
 * The meaning of a database error, judged by its SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 *
 * - `away`: the database cannot work now and changed nothing; try again later.
 * - `silent`: no answer came; the statement may have been carried out.
 * - `conflict`: given up in favour of another, nothing changed; try again at once.
 * - `refused`: the statement never passes.
 */
type DatabaseFailure = 'away' | 'silent' | 'conflict' | 'refused'

/** Connection (08), resources (53), shutdown (57P), disk (58, XX), standby (25006), idle (25P03). */
const UNAVAILABLE_STATES = /^(08...|25006|25P03|53...|57...|58...|XX...)$/

const CONFLICT: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])

/** SQLSTATEs of a refused login, each with advice of its own. */
export const CONNECTION_REFUSED_STATES = {
  password: '28P01',
  authorization: '28000',
  noDatabase: '3D000',
  noRight: '42501',
  full: '53300',
  notNow: '57P03',
} as const

/** Node's codes when nothing reached the server. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Node's codes of a broken connection; pg's errors of this kind have no code. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
const READ_TIMEOUT = /^Query read timeout/
const NO_ANSWER = /^(Connection terminated\b|Client has encountered a connection error|Client was closed)/
const NO_CONNECTION = /^timeout exceeded when trying to connect/

/** Classes of PostgreSQL's codes; Node's (`EPIPE`) and Prisma's (`P2002`) may have five characters too. */
const SQLSTATE = /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/

/** Prisma's codes where it keeps no cause (https://www.prisma.io/docs/orm/reference/error-reference). */
const PRISMA_ERRORS: Readonly<Record<string, DatabaseFailure>> = {
  P1001: 'away',
  P1002: 'away',
  P2024: 'away',
  // An interactive transaction did not begin in time, or was rolled back for its age.
  P2028: 'away',
  P2037: 'away',
  P1008: 'silent',
  P1017: 'silent',
  P2034: 'conflict',
}

/** Undefined where the error is not the database's. */
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

/** Whether the same statement may pass later. */
export const isTransientDatabaseError = (error: unknown): boolean => {
  const trouble = databaseFailure(error)
  return trouble !== undefined && trouble !== 'refused'
}

/** Whether the wait for an answer timed out, as opposed to a connection that ended. */
export const isReadTimeout = ({ message }: Error): boolean => READ_TIMEOUT.test(message)

const hasCode =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    causeChain(error).some(({ code }) => pattern.test(code))

export const isUniqueViolation = hasCode(/^(23505|P2002)$/)

export const isInsufficientPrivilege = hasCode(/^42501$/)

export const isForeignKeyViolation = hasCode(/^23503$/)

export const isDiskFull = hasCode(/^53100$/)

export const isDataError = hasCode(/^2[23][0-9A-Z]{3}$/)

export function databaseMessage(error: unknown): string | undefined {
  const said = causeChain(error).find(({ code }) => SQLSTATE.test(code))
  return said && `${said.message} (SQLSTATE ${said.code})`
}

interface ErrorLink {
  code: string
  message: string
}

/** Prisma's cause is no Error (`originalCode`). A GalleyError ends the chain: others fail in these words. */
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

export function databaseUnreachable({ host, port, database }: Client, cause: Error): GalleyError {
  // A name with several addresses fails with an error for each, and no message of its own.
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
