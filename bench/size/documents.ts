import { readFileSync } from 'node:fs'
import { seeded } from '../../test/support/random.ts'
import { article } from '../support/webhook.ts'

/** The words of a page of this repository, as often as they stand there. */
const words =
  readFileSync(new URL('../../docs/wordpress.md', import.meta.url), 'utf8').match(/[A-Za-z]{2,}/g) ?? []

/**
 * Makes webhooks of the size of an article, whose words are drawn by lot: they compress a little worse than what somebody
 * wrote, and by far not as well as one sentence again and again.
 */
export function documentMaker(): (requested: { siteId: string; documentId?: string }) => Buffer {
  const draw = seeded(3).next
  const word = () => words[Math.floor(draw() * words.length)]
  const sentence = () => `${Array.from({ length: 15 }, word).join(' ')}. `
  return (requested) => {
    const text = JSON.stringify(article(requested), (name, value) =>
      name === 'text' && typeof value === 'string' && value.length > 400 ? SIX.map(sentence).join('') : value,
    )
    return Buffer.from(text)
  }
}

const SIX = [1, 2, 3, 4, 5, 6]
