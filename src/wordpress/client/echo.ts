import type { OutboundResponse } from '../../outbound/index.ts'

/** Shortest password that is looked for: a word of a text is none. WordPress's own have 24 letters. */
const SHORTEST = 12

const HIDDEN = '[redacted]'

/**
 * An answer without the credentials of its request, which debugging plugins and error pages repeat: what a site answers
 * is stored, logged and shown to others.
 *
 * @param authorization the request's, `Basic …`
 */
export function withoutCredentials(
  response: OutboundResponse,
  authorization: string | undefined,
): OutboundResponse {
  const spellings = spellingsOf(authorization)
  const found = (text: string | Buffer) => spellings.some((spelling) => text.includes(spelling))
  if (spellings.length === 0) return response
  const clean = (text: string) =>
    spellings.reduce((rest, spelling) => rest.replaceAll(spelling, HIDDEN), text)
  const headers = Object.entries(response.headers).map(([name, value]) => [name, clean(value)])
  return {
    ...response,
    headers: Object.fromEntries(headers),
    body: found(response.body) ? Buffer.from(clean(response.body.toString('utf8'))) : response.body,
  }
}

/** A password as it may be repeated: as sent, without its spaces, in an address, in JSON, or with the user in base64. */
function spellingsOf(authorization: string | undefined): string[] {
  const encoded = /^Basic ([\w+/]+=*)$/.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return []
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const password = credentials.slice(credentials.indexOf(':') + 1)
  const bare = password.replaceAll(' ', '')
  if (bare.length < SHORTEST) return [encoded]
  const address = encodeURIComponent(password)
  const json = JSON.stringify(password).slice(1, -1)
  return [...new Set([encoded, password, bare, address, address.replaceAll('%20', '+'), json])]
}
