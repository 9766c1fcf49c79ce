import type { Draw } from '../stage/random.ts'
import { toJson } from '../stage/texts.ts'
import { asPage } from './answers.ts'
import type { Way } from './server.ts'

/** The honest answer with some of its leaves exchanged: each that is of this type, by what `exchangeFor` says. */
export const withLeaves =
  (type: 'string' | 'number' | 'any', exchangeFor: (leaf: unknown, path: string) => unknown): Way =>
  ({ honest }) => {
    if (honest.json === undefined) return asPage(String(exchangeFor('', '')))
    const walk = (value: unknown, path: string): unknown => {
      if (Array.isArray(value)) return value.map((member, n) => walk(member, `${path}.${n}`))
      if (value !== null && typeof value === 'object')
        return Object.fromEntries(
          Object.entries(value).map(([key, member]) => [key, walk(member, `${path}.${key}`)]),
        )
      return type === 'any' || typeof value === type ? exchangeFor(value, path) : value
    }
    return { ...honest, text: toJson(walk(honest.json, '')) }
  }

/** One leaf alone, so that what looks at the others first gets as far as to it. */
export const oneLeaf = (draw: Draw, type: 'string' | 'number' | 'any', value: unknown): Way => {
  const place = draw.next()
  return (exchange) => {
    const paths: string[] = []
    withLeaves(type, (leaf, path) => {
      paths.push(path)
      return leaf
    })(exchange)
    const chosen = paths[Math.floor(place * paths.length)]
    return withLeaves(type, (leaf, path) => (path === chosen ? value : leaf))(exchange)
  }
}
