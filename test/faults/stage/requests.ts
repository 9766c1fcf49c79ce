import type { Match } from '../../support/proxy/index.ts'

const POST_ITSELF = /^\/wp\/v2\/posts\/\d+$/

/** Requests of a delivery without any trouble, of a first version and of a newer one: terms may be known already. */
export const REQUESTS: Record<'first' | 'newer', Match[]> = {
  first: [
    { method: 'POST', path: '/wp/v2/posts' },
    { method: 'POST', path: '/wp/v2/media' },
    { method: 'POST', path: POST_ITSELF },
  ],
  newer: [
    { method: 'GET', path: POST_ITSELF },
    { method: 'GET', path: /^\/wp\/v2\/media\/\d+$/ },
    { method: 'POST', path: POST_ITSELF },
    { method: 'GET', path: '/wp/v2/media' },
  ],
}
