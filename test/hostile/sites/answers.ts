import type { SiteAnswer } from './wordpress.ts'

/** JSON as it is, whatever it is. */
export const asJson = (text: string, status = 200): SiteAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  text,
})

/** A web page, as a firewall or a broken plugin shows one. */
export const asPage = (text: string, status = 200): SiteAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  text,
})
