/** A WordPress site as it answers, whatever was typed. */
export interface DiscoveredSite {
  /** Scheme, host and port after redirects: `https://www.example.com`. */
  origin: string
  /** The site's own home address, with its folder, on the host of its REST root: `https://www.example.com/blog`. */
  home: string
  /** Root of the REST API, ending in `/` or in `rest_route=/`. */
  restRoot: string
  /** The site's title. */
  name: string
  /** Where a browser can approve an application password; absent where they are switched off. */
  authorizationUrl?: string
  /** The index of its REST API is not shown to visitors, so that nobody can tell whether they are. */
  closed: boolean
}
