/** Parameters that say where a reader came from, and nothing of the page. */
const tracking = /^(?:utm_\w+|fbclid|gclid|msclkid|mc_cid|mc_eid)$/

/** What two addresses of one page have in common; undefined for what is no address of the web. */
export function pageKey(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name)
  url.searchParams.sort()
  const host = url.host.replace(/^www\./, '')
  const path = url.pathname.replace(/\/$/, '')
  return `${host}${path}${url.search}`
}
