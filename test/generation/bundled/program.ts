import { extractArticleInThread } from '../../../src/generation/pipeline/research/research.ts'
import { encodeSpeech } from '../../../src/generation/pipeline/speech/encode/encode.ts'
import { cardPictures } from '../../../src/generation/providers/cards/cards.ts'
import { espeakSpeech } from '../../../src/generation/providers/espeak/espeak.ts'
import { tone } from '../speech/rehearsal.ts'

/** Uses each worker thread of a bundled Galley once, and prints the results. */

const { signal } = new AbortController()
const paragraph = '<p>Trees cool a street by several degrees, say those who measured it for years.</p>'

const html = { text: `<title>Shade</title><article>${paragraph.repeat(8)}</article>`, isHtml: true }
const { title, text } = await extractArticleInThread(html, signal)

const look = { size: 'square', quality: 'low', background: 'auto', format: 'png' } as const
const card = cardPictures({ name: 'cards', model: '', concurrency: undefined })
const { body } = await card.draw({ prompt: '', subject: 'Trees', ...look }, { idempotencyKey: 'key', signal })

async function* piece() {
  yield tone(1, 24_000)
}
const seconds: Record<string, number> = {}
for (const format of ['mp3', 'opus', 'wav'] as const) {
  const encoded = encodeSpeech({ format, sampleRate: 24_000, samples: 24_000 }, piece(), signal)
  for await (const part of encoded.bytes) part.length
  seconds[format] = encoded.seconds()
}

const provider = espeakSpeech({ name: 'espeak', concurrency: undefined })
const request = { text: 'Hello there.', voice: 'Kore', language: 'en-US', style: null } as const
const answer = await provider?.speak(request, { idempotencyKey: 'a', signal })
const spoken = answer && provider ? provider.read(answer).samples.length : null

console.log(
  JSON.stringify({ title, text: text.slice(0, 10), png: body.slice(1, 4).toString(), seconds, spoken }),
)
process.exit(0)
