import {
  isLongEnoughToRedact,
  redactVariants,
  redactVariantsInBytes,
  secretEncodings,
} from '../../log/redact.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import type { SiteCredentials } from '../types.ts'

/** Of connections that are in use: each delivery has a client of its own, over the connection of its site. */
const known = new WeakMap<SiteCredentials, string[]>()

/** The credentials in every way in which an answer of a site repeats them, longest first. */
function credentialVariants({ username, applicationPassword: password }: SiteCredentials): string[] {
  const passwords = [password, password.replaceAll(/\s/g, '')]
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  // The header is `Basic`, and this.
  const headers = passwords.flatMap((text) => [base64(`${username}:${text}`), base64(text)])
  return secretEncodings([...passwords, ...headers])
}

/** Takes the credentials out of every answer before it is read, and so shown, logged or stored. */
export const redactCredentials = (outbound: Outbound, credentials: SiteCredentials): Outbound => ({
  ...outbound,
  request: async (url, request) => redactResponse(await outbound.request(url, request), credentials),
  close: () => outbound.close(),
})

/** A short password may be a word of an answer, as `editor`: it is taken out of failures alone. */
export function redactResponse<Response extends Pick<OutboundResponse, 'status' | 'headers' | 'body'>>(
  response: Response,
  credentials: SiteCredentials,
): Response {
  const all = known.get(credentials) ?? credentialVariants(credentials)
  known.set(credentials, all)
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
