import { parseCookie } from 'cookie'
import type { Request, Response } from 'express'
import { createNonce, isNonce, stateOf } from '../../connect/state.ts'

const COOKIE = 'galley_connect'

/** Where a link's pages are, in full. */
export interface Addresses {
  ask: string
  approved: string
  rejected: string
  connected: string
  refused: string
  failed: string
}

export function addressesOf(publicUrl: string, token: string): Addresses {
  const ask = `${publicUrl}/connect/${encodeURIComponent(token)}`
  return {
    ask,
    approved: `${ask}/approved`,
    rejected: `${ask}/rejected`,
    connected: `${ask}/connected`,
    refused: `${ask}/refused`,
    failed: `${ask}/failed`,
  }
}

/** The nonce this browser has for this link, undefined where it has none. */
export function nonceOf(request: Request): string | undefined {
  const nonce = parseCookie(request.get('cookie') ?? '')[COOKIE]
  return nonce !== undefined && isNonce(nonce) ? nonce : undefined
}

/**
 * The state that this browser's answer has to carry. The cookie is sent to the pages of this link alone; `lax` lets it
 * come along when WordPress sends the browser back.
 */
export function stateFor(
  request: Request,
  response: Response,
  { token, expiresAt, publicUrl }: { token: string; expiresAt: Date; publicUrl: string },
): string {
  const nonce = nonceOf(request) ?? createNonce()
  const { protocol, pathname } = new URL(addressesOf(publicUrl, token).ask)
  response.cookie(COOKIE, nonce, {
    path: pathname,
    expires: expiresAt,
    httpOnly: true,
    sameSite: 'lax',
    secure: protocol === 'https:',
  })
  return stateOf(token, nonce)
}
