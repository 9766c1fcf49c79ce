import { decodeHTML } from 'entities'
import type { OutboundResponse } from '../../outbound/index.ts'

const REST_RELATION = 'https://api.w.org/'

/** The REST root that a page of the site names, in its `Link` header or, where a cache lost that, in its head. */
export function restRootNamedBy({ headers, body, url }: OutboundResponse): string | undefined {
  const named = fromHeader(headers.link) ?? fromHead(body.toString('utf8'))
  if (named === undefined || !URL.canParse(named, url)) return undefined
  const root = new URL(named, url)
  const page = new URL(url)
  // Behind a proxy that ends TLS, WordPress often believes that it is reached by http.
  if (page.protocol === 'https:' && root.hostname === page.hostname) root.protocol = 'https:'
  return root.href
}

/** `<https://example.com/wp-json/>; rel="https://api.w.org/"`, among others; RFC 8288. */
function fromHeader(link: string | undefined): string | undefined {
  const entries = (link ?? '').matchAll(/<([^>]*)>([^<]*)/g)
  for (const [, target, parameters = ''] of entries) {
    if (parameters.includes(REST_RELATION)) return target
  }
  return undefined
}

function fromHead(html: string): string | undefined {
  const tag = [...html.matchAll(/<link\b[^>]*>/gi)].find(([text]) => text.includes(REST_RELATION))?.[0]
  const target = tag === undefined ? undefined : /href=["']([^"']+)["']/i.exec(tag)?.[1]
  return target === undefined ? undefined : decodeHTML(target)
}
