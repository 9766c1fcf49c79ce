import {
  isLongEnoughToRedact,
  redactVariants,
  redactVariantsInBytes,
  secretEncodings,
} from '../../log/secret-variants.ts'
import type { Outbound, OutboundResponse } from '../../outbound/index.ts'
import type { SiteConnection } from '../types.ts'

type Credentials = Pick<SiteConnection, 'username' | 'applicationPassword'>

/** Of connections that are in use: each delivery has a client of its own, over the connection of its site. */
const known = new WeakMap<Credentials, string[]>()

/** The credentials in every way in which an answer of a site repeats them, longest first. */
function credentialVariants({ username, applicationPassword: password }: Credentials): string[] {
  const passwords = [password, password.replaceAll(/\s/g, '')]
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  // The header is `Basic`, and this.
  const headers = passwords.flatMap((text) => [base64(`${username}:${text}`), base64(text)])
  return secretEncodings([...passwords, ...headers])
}

/**
 * The way out with the credentials taken out of every answer before anybody reads it. Whatever is shown, logged or
 * stored of a site's words comes from there.
 */
export function redactCredentials(outbound: Outbound, credentials: Credentials): Outbound {
  const echoes = known.get(credentials) ?? credentialVariants(credentials)
  known.set(credentials, echoes)
  return {
    ...outbound,
    async request(url, request) {
      return redactResponse(await outbound.request(url, request), echoes)
    },
    close: () => outbound.close(),
  }
}

/**
 * A short password may stand in an answer by itself: `editor` is a bad one, and a role. It is taken out of failures, which
 * people read, and not out of what a request was answered.
 */
function redactResponse(response: OutboundResponse, all: string[]): OutboundResponse {
  const { status, headers, body } = response
  const failed = status < 200 || status > 299
  const echoes = failed ? all : all.filter(isLongEnoughToRedact)
  return {
    ...response,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, redactVariants(value, echoes)]),
    ),
    body: redactVariantsInBytes(body, echoes),
  }
}
