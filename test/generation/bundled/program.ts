import { extractArticleInThread } from '../../../src/generation/pipeline/research/research.ts'
import { cardPictures } from '../../../src/generation/providers/cards/cards.ts'

const { signal } = new AbortController()
const paragraph = '<p>Trees cool a street by several degrees, say those who measured it for years.</p>'

/** Reads a page and sets a card, each in its thread, and says what came of it. */
async function main(): Promise<void> {
  const page = { text: `<title>Shade</title><article>${paragraph.repeat(8)}</article>`, isHtml: true }
  const { title, text } = await extractArticleInThread(page, signal)
  const look = { size: 'square', quality: 'low', background: 'auto', format: 'png' } as const
  const card = cardPictures({ name: 'cards', model: '', concurrency: undefined })
  const request = { prompt: '', subject: 'Trees', ...look }
  const { body } = await card.draw(request, { idempotencyKey: 'key', signal })
  console.log(JSON.stringify({ title, text: text.slice(0, 10), png: body.slice(1, 4).toString() }))
}

// A bundle is a script, which cannot wait at its top.
main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
