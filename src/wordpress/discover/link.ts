import type { OutboundResponse } from '../../outbound/index.ts'
import { isWebAddress } from '../fields.ts'
import { tagsOf } from '../html/tags.ts'

const REST_RELATION = 'https://api.w.org/'

/** The REST root that a page of the site names, in its `Link` header or, where a cache lost that, in its head. */
export function restRootNamedBy({ headers, body, url }: OutboundResponse): string | undefined {
  const named = fromHeader(headers.link) ?? fromHead(body.toString('utf8'))
  if (named === undefined || !URL.canParse(named, url)) return undefined
  const root = new URL(named, url)
  if (!isWebAddress(root.href)) return undefined
  const page = new URL(url)
  // Behind a proxy that ends TLS, WordPress often believes that it is reached by http.
  if (page.protocol === 'https:' && root.hostname === page.hostname) root.protocol = 'https:'
  return root.href
}

/** `<https://example.com/wp-json/>; rel="https://api.w.org/"`, among others; RFC 8288. */
function fromHeader(link: string | undefined): string | undefined {
  for (const entry of (link ?? '').split('<')) {
    const end = entry.indexOf('>')
    if (end !== -1 && entry.includes(REST_RELATION, end)) return entry.slice(0, end)
  }
  return undefined
}

function fromHead(html: string): string | undefined {
  const tag = tagsOf(html, ['link']).find(({ attributes }) => attributes.get('rel')?.includes(REST_RELATION))
  return tag?.attributes.get('href') || undefined
}
