import type { Client } from 'pg'
import { GalleyError } from '../errors.ts'
import { NOT_LET_IN } from './sqlstates.ts'

/** What to do about a database that lets nobody in, by SQLSTATE or by the system's code. */
const advice: Readonly<Record<string, string>> = {
  [NOT_LET_IN.password]:
    'The user or the password in DATABASE_URL is wrong. Characters such as @ / : # % in it are written as %40 %2F %3A %23 %25.',
  [NOT_LET_IN.authorization]:
    'This user may not connect from here: see pg_hba.conf of that PostgreSQL, and whether it wants TLS (?sslmode=require).',
  [NOT_LET_IN.noDatabase]:
    'There is no such database. Create one (createdb), or name another at the end of DATABASE_URL.',
  [NOT_LET_IN.noRight]:
    'This user may not connect to that database. Give it the right with: GRANT CONNECT ON DATABASE … TO …',
  [NOT_LET_IN.full]: 'It has no connection left. Raise max_connections, or stop something else that uses it.',
  [NOT_LET_IN.notNow]: 'It is just starting or stopping. Try again in a moment.',
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

const otherwise = 'Check that PostgreSQL is running there and that DATABASE_URL names it correctly.'

/** A database that could not be connected to, in words for whoever has set DATABASE_URL. */
export function unreachable({ host, port, database }: Client, cause: Error): GalleyError {
  // A name with several addresses fails with one error for each, and no message of its own.
  const errors: (Error & { code?: string })[] = cause instanceof AggregateError ? cause.errors : [cause]
  const reason = [...new Set(errors.map((error) => error.message))].join('; ')
  const known = errors.map(({ code }) => advice[code ?? '']).find((text) => text !== undefined)
  return new GalleyError({
    code: 'database_unreachable',
    message: `The database "${database}" at ${host}:${port} cannot be used: ${reason}. ${known ?? otherwise}`,
    action: 'retry',
    cause,
  })
}
