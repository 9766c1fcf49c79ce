/** A browser without scripts: keeps cookies, follows links and sends forms when told to. */
export class Visitor {
  readonly #cookies = new Map<string, { value: string; path: string; host: string }>()

  /** One request, its redirect not followed. */
  async request(url: string, form?: Record<string, string>): Promise<Visited> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.#cookiesFor(new URL(url)) },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    this.#keep(new URL(url), response.headers.getSetCookie())
    const location = response.headers.get('location')
    return {
      url,
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: location === null ? null : new URL(location, url).href,
    }
  }

  /** The page at the end of the redirects. */
  async open(url: string, form?: Record<string, string>): Promise<Visited> {
    let page = await this.request(url, form)
    for (let hops = 0; page.location !== null && hops < 10; hops += 1)
      page = await this.request(page.location)
    return page
  }

  cookies(name: string): { value: string; path: string }[] {
    return [...this.#cookies].filter(([key]) => key.startsWith(`${name}@`)).map(([, cookie]) => cookie)
  }

  #keep({ host }: URL, headers: string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(/;\s*/)
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
      this.#cookies.set(`${name}@${host}${path}`, { value, path, host })
    }
  }

  #cookiesFor({ host, pathname }: URL): string {
    return [...this.#cookies]
      .filter(([, cookie]) => cookie.host === host && pathname.startsWith(cookie.path))
      .map(([key, { value }]) => `${key.slice(0, key.indexOf('@'))}=${value}`)
      .join('; ')
  }
}

export interface Visited {
  url: string
  status: number
  headers: Headers
  html: string
  location: string | null
}

/** The value of an input of a page. */
export function inputOf({ html, url }: Visited, name: string): string {
  const tag = html.match(new RegExp(`<input[^>]*name=["']${name}["'][^>]*>`))?.[0]
  const value = tag?.match(/value=["']([^"']*)["']/)?.[1]
  if (value === undefined) throw new Error(`${url} has no input ${name}`)
  return value
}

/** Where the first link with this class leads. */
export function linkOf({ html, url }: Visited, className: string): string {
  const href = html.match(new RegExp(`<a class="${className}"[^>]*href="([^"]*)"`))?.[1]
  if (href === undefined) throw new Error(`${url} has no link with class ${className}`)
  return href.replaceAll('&amp;', '&')
}

/** The words of a page on one line, as a person reads them. */
export const wordsOf = ({ html }: Visited): string =>
  html
    .replace(/<(style|head)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
