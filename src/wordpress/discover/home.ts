/** The address above a REST root: `https://example.com/blog/` for `https://example.com/blog/wp-json/`. */
export function aboveRoot(restRoot: string): string {
  const url = new URL(restRoot)
  url.search = ''
  url.hash = ''
  url.pathname = url.pathname.replace(/(?:index\.php\/)?wp-json\/$|index\.php\/?$/, '')
  return url.href
}

/** Whether two addresses are of one host. `www.` is no other host, and neither is https beside http. */
export function sameHost(a: string, b: string): boolean {
  const hostOf = (address: string) => new URL(address).host.replace(/^www\./, '')
  return hostOf(a) === hostOf(b)
}

/**
 * A site's own address: as it says itself where that is on the host of its REST root, else the one above the root.
 * Which site is spoken to is known from where it was reached, and not from what it calls itself.
 */
export function homeOf(restRoot: string, claimed: string): string {
  const reached = aboveRoot(restRoot)
  if (claimed === '' || !sameHost(claimed, restRoot)) return reached
  const home = new URL(claimed)
  // Behind a proxy that ends TLS, WordPress often believes that it is reached by http.
  if (new URL(restRoot).protocol === 'https:') home.protocol = 'https:'
  return home.href
}
