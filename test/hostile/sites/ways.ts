import type { Draw } from '../stage/random.ts'
import { hostileTexts, hostileValues, rawValues, shortTexts, toJson } from '../stage/texts.ts'
import { asJson, asPage } from './answers.ts'
import { compressedWays } from './compressed.ts'
import { headerWays, withHeaders } from './headers.ts'
import { oneLeaf, withLeaves } from './leaves.ts'
import { lyingWays } from './lies.ts'
import type { Way } from './server.ts'
import { transportWays } from './transport.ts'

/** Ways that are each of its own kind, by name. @param thief an address that nobody may reach */
export const particularWays = (thief: string): Record<string, Way> => ({
  ...transportWays,
  ...compressedWays,
  ...headerWays(thief),
  ...lyingWays(thief),
})

/** Each hostile text and value in each place of an answer, by name. Which place, the seed decides. */
export function textWays(draw: Draw): Record<string, Way> {
  const ways: Record<string, Way> = {}
  for (const [n, text] of hostileTexts.entries()) {
    const name = `text ${n} (${JSON.stringify(text.slice(0, 24))})`
    ways[`${name} everywhere`] = withLeaves('string', () => text)
    ways[`${name} in one place`] = oneLeaf(draw, 'string', text)
    ways[`${name} after each`] = withLeaves('string', (honest) => `${honest}${text}`)
    ways[`${name} on a page`] = () => asPage(`<!doctype html><html><head>${text}`)
    ways[`${name} on a page of an error`] = () => asPage(`<!doctype html><title>${text}</title>${text}`, 403)
    ways[`${name} in an error`] = () =>
      asJson(JSON.stringify({ code: text, message: text, data: { status: 400 } }), 400)
    ways[`${name} as the answer`] = () => asJson(text)
    ways[`${name} for a number`] = oneLeaf(draw, 'number', text)
  }
  for (const [n, text] of shortTexts.entries()) {
    const plain = text.replace(/[^\x20-\x7e]/g, '?')
    ways[`header ${n} (${plain.slice(0, 24)})`] = withHeaders({
      location: plain,
      link: plain,
      'x-wp-totalpages': plain,
      'retry-after': plain,
      'content-type': plain || 'x',
    })
  }
  for (const [n, value] of [...hostileValues, ...rawValues].entries()) {
    const name = `value ${n} (${toJson(value).slice(0, 24)})`
    ways[`${name} for numbers`] = withLeaves('number', () => value)
    ways[`${name} in one place`] = oneLeaf(draw, 'any', value)
    ways[`${name} for texts`] = withLeaves('string', () => value)
    ways[`${name} as the answer`] = () => asJson(toJson(value))
    ways[`${name} for a number`] = oneLeaf(draw, 'number', value)
  }
  return ways
}
