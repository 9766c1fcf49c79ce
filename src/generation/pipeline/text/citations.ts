import type { Source } from '../types.ts'

/** What a text may link to: nothing but pages that Galley fetched. */
export interface Citations {
  /** The address for what a model wrote as the target of a link, an id or the address itself; once for each source. */
  cite(target: string): string | undefined
  /** What stands for an id alone, amid the text: the name of the site. */
  nameOf(id: string): string | undefined
  /** Whether an address may stand in the text: a page that was read, or one that the client wrote. */
  mayShow(url: string): boolean
}

/** The citations of one part of a document: a page is linked once in it. */
export function citationsOf(sources: readonly Source[], prompt: string): Citations {
  const byName = new Map(sources.flatMap((source) => [source.id, source.url].map((name) => [name, source])))
  const cited = new Set<string>()
  return {
    cite: (target) => {
      const name = target.trim()
      const source = byName.get(name) ?? byName.get(name.toLowerCase())
      if (source === undefined || cited.has(source.id) || hostOf(source.url) === undefined) return undefined
      cited.add(source.id)
      return source.url
    },
    nameOf: (id) => {
      const source = byName.get(id)
      return source && hostOf(source.url)
    },
    mayShow: (url) => byName.has(url) || prompt.includes(url),
  }
}

/** `example.org`; undefined of what is no address of the web. */
export function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? hostname.replace(/^www\./, '') : undefined
}
