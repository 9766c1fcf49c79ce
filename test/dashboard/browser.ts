import type { BrowserContext } from 'playwright-core'

/** How Chromium is started: without a window, and asking for nothing but what a page asks for. */
export const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Gives a browser the cookie of a session, as signing in on the page does. */
export async function signIn(context: BrowserContext, url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  const value = /^galley=([0-9a-f]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1]
  if (value === undefined) throw new Error(`nobody is signed in: ${answer.status}`)
  await context.addCookies([{ name: 'galley', value, url, httpOnly: true, sameSite: 'Strict' }])
}
