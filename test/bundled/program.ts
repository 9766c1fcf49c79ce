import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { extractThread } from '../../src/generation/pipeline/research/research.ts'
import { encodeSpeech } from '../../src/generation/pipeline/speech/encode/encode.ts'
import { cardPictures } from '../../src/generation/providers/cards/cards.ts'
import { espeakSpeech } from '../../src/generation/providers/espeak/espeak.ts'
import { s3BlobStore } from '../../src/generation/storage/blobs.ts'
import { createMailer } from '../../src/notifications/mail/mailer.ts'
import { startTracing } from '../../src/observe/otlp.ts'
import { withSpan } from '../../src/observe/trace.ts'
import { tone } from '../generation/speech/rehearsal.ts'

/**
 * Uses once what a bundled Galley loads when it needs it: each worker thread, and the packages for files in S3, mail and traces.
 * Prints the results. Arguments: the address of an HTTP server that takes everything, and the port of a mail server.
 */

const [, , endpoint = '', mailPort] = process.argv
const { signal } = new AbortController()
const log = pino({ level: 'silent' })

const paragraph = '<p>Trees cool a street by several degrees, say those who measured it for years.</p>'
const html = { text: `<title>Shade</title><article>${paragraph.repeat(8)}</article>`, isHtml: true }
const { title, text } = await extractThread.run(html, signal)

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

const file = join(tmpdir(), `galley-bundled-${process.pid}`)
await writeFile(file, 'kept')
const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
await s3BlobStore({ bucket: 'files', endpoint, region: 'eu-central-1', credentials, prefix: '' }).put(
  'name',
  { path: file, bytes: 4, sha256: Buffer.alloc(32) },
)

const tracing = await startTracing({ endpoint, role: 'all' }, log)
await withSpan('a span', {}, async () => undefined)
await tracing.stop()

const from = { name: 'Galley', address: 'galley@example.com' }
const send = createMailer(
  { host: '127.0.0.1', port: Number(mailPort), tls: 'off', credentials: undefined, from },
  () => 'https://galley.example',
  log,
)
const told = { event: 'digest', id: 'a', created_at: '2026-11-27T00:00:00Z', receiver: { name: 'Ann' } }
const mail = await send({
  id: 'a',
  url: 'mailto:ann@example.com',
  body: Buffer.from(JSON.stringify({ ...told, items: [], counts: {} })),
  language: 'en',
})

const png = body.slice(1, 4).toString()
console.log(JSON.stringify({ title, text: text.slice(0, 10), png, seconds, spoken, mail: mail.error }))
process.exit(0)
