import type { Source } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SourcePatch } from './schema.ts'
import { upstreamApiKeyIdentity } from './secrets.ts'

type Upstream = Pick<Source, 'upstreamBaseUrl' | 'upstreamApiKey'>

/**
 * The columns of a source's upstream after a request. Its key is for the origin it was given with: with another address
 * it has to be given again, and without one it goes.
 *
 * @param stored both null for a new source
 * @throws GalleyError 422 `UPSTREAM_KEY_NEEDED`, `UPSTREAM_ADDRESS_NEEDED`
 */
export function upstreamColumns(
  keyring: Keyring,
  id: string,
  stored: Upstream,
  { upstream_base_url: url, upstream_api_key: key }: SourcePatch,
): Partial<Upstream> {
  const address = url === undefined ? stored.upstreamBaseUrl : url
  if (typeof key === 'string') {
    if (address === null) throw addressNeeded()
    const sealed = keyring.encrypt(key, upstreamApiKeyIdentity(id), new URL(address).origin)
    return { upstreamBaseUrl: address, upstreamApiKey: sealed }
  }
  if (key === null || address === null) return { upstreamBaseUrl: address, upstreamApiKey: null }
  if (stored.upstreamApiKey !== null && !sameOrigin(stored.upstreamBaseUrl, address))
    throw keyNeeded(stored.upstreamBaseUrl, address)
  return { upstreamBaseUrl: address }
}

const sameOrigin = (before: string | null, after: string): boolean =>
  before !== null && new URL(before).origin === new URL(after).origin

const addressNeeded = () =>
  new GalleyError({
    code: 'UPSTREAM_ADDRESS_NEEDED',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: 'An upstream_api_key is for one address. Give "upstream_base_url" with it.',
  })

const keyNeeded = (before: string | null, after: string) =>
  new GalleyError({
    code: 'UPSTREAM_KEY_NEEDED',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `The stored upstream_api_key was given for ${before === null ? 'another address' : new URL(before).origin}, and not for ${new URL(after).origin}. Nothing was changed. Give "upstream_api_key" together with the new address.`,
  })
