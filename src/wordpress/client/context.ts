import type { APIFetchOptions } from '@wordpress/api-fetch'
import type { Outbound } from '../../outbound/index.ts'
import type { SiteConnection } from '../types.ts'
import type { Multipart } from './multipart.ts'

/** What our middleware and handler need to know of a request; api-fetch passes unknown options through. */
export interface RequestContext {
  site: SiteConnection
  outbound: Outbound
  timeoutMs: number
  /** Of the answer. */
  maxBytes: number
  /** Asked when a connection stands and nothing has left yet; what it throws ends the request. */
  beforeSend: () => void
  /** The body, where it is not JSON. */
  form: Multipart | undefined
}

export type ContextualOptions = APIFetchOptions<true> & { galley: RequestContext }

export function contextOf(options: APIFetchOptions): RequestContext {
  if (!('galley' in options)) throw new TypeError('api-fetch was called without a site')
  return (options as unknown as ContextualOptions).galley
}
