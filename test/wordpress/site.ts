import { createOutbound, type Outbound } from '../../src/outbound/outbound.ts'
import { type ClientOptions, createClient, type WordPressClient } from '../../src/wordpress/client/client.ts'
import { connectionAs, type Role, wordpress } from '../support/wordpress/index.ts'

export { connectionAs, type Role, wordpress }

/** One for all files of a run, which share their modules (vitest.config.ts); it ends with their process. */
export const outbound: Outbound = createOutbound({
  allowPrivate: ['127.0.0.1'],
  userAgent: 'Galley/0.0.0 (+https://galley.example)',
})

/** To Galley all is reached over https: a proxy ends that, and WordPress sees http. */
export const behindTls: Outbound = {
  ...outbound,
  async request(url, request) {
    const answer = await outbound.request(String(url).replace(/^https:/, 'http:'), request)
    return { ...answer, url: answer.url.replace(/^http:/, 'https:') }
  },
}

/** A client for the WordPress under test, straight or by another root of its REST API. */
export const clientAs = (role: Role, options: ClientOptions & { restRoot?: string } = {}): WordPressClient =>
  createClient(
    { ...connectionAs(role), ...(options.restRoot ? { restRoot: options.restRoot } : {}) },
    outbound,
    options,
  )

let count = 0

/** A name that nobody else uses, on this site, in this run. */
export const unique = (prefix: string): string =>
  `${prefix}-${process.pid}-${Date.now().toString(36)}-${count++}`
