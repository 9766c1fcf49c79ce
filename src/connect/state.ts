import { createHmac } from 'node:crypto'
import { createToken, sameSecret } from '../secrets/index.ts'

/**
 * Binds an answer to the link it answers and to the browser that opened it. The browser keeps a random nonce in a
 * cookie; the state that travels to WordPress and back is that nonce under the link's own token. An answer to
 * another link, or one carried into another browser, does not fit.
 */
export const createNonce = createToken

/** What `createNonce` makes; anything else in the cookie is not ours. */
export const isNonce = (text: string): boolean => /^[0-9a-f]{48}$/.test(text)

export const stateOf = (token: string, nonce: string): string =>
  createHmac('sha256', token).update(nonce).digest('hex')

/** Compared in constant time. `nonce` is what the browser's cookie says, undefined where it has none. */
export const stateFits = (state: unknown, token: string, nonce: string | undefined): boolean =>
  typeof state === 'string' && nonce !== undefined && sameSecret(state, stateOf(token, nonce))
