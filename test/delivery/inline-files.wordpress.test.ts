import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { pino } from 'pino'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { png, serveFiles } from '../support/files.ts'
import {
  type DeliveryData,
  removeSitesOf,
  settled,
  startTestGalley,
  type TestGalley,
  webhookPath,
} from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { findMedia, findPosts, removePosts, rest, wordpress } from '../support/wordpress/index.ts'

let galley: TestGalley
let webhook: string
let siteId: string
let logged = ''
const posts = new Set<number>()

beforeAll(async () => {
  const { url, users } = wordpress()
  const log = pino(
    { level: 'debug' },
    new Writable({
      write(chunk, _encoding, done) {
        logged += chunk
        done()
      },
    }),
  )
  galley = await startTestGalley({}, undefined, undefined, log)
  webhook = await webhookPath(galley)
  const { login: username, applicationPassword: application_password } = users.editor
  await removeSitesOf(galley, username)
  const settings = { max_picture_bytes: 2_000_000 }
  const asked = { url, username, application_password, settings }
  const { body } = await galley.call<{ id: string }>('POST', '/v1/sites?check=false', asked)
  expect(body).toMatchObject({ success: true })
  siteId = body.id
})

afterEach(async () => {
  await removePosts(posts)
  posts.clear()
})
afterAll(() => galley.stop())

const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
const image = (url: string, alt: string, more = {}) => ({ type: 'image', url, alt, ...more })

/** A picture of noise, which no format makes small. */
const noise = (side = 700) =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })

type Detailed = DeliveryData & { media: { source_url: string; id: number | null }[] }

async function deliver(document: ReturnType<typeof completed>): Promise<Detailed> {
  expect((await galley.call('POST', webhook, document)).body).toMatchObject({ success: true, delivery: true })
  const delivery = await settled(galley, encodeURIComponent(document.id))
  if (delivery.post) posts.add(delivery.post.id)
  return delivery as Detailed
}

const postOf = ({ post }: DeliveryData) =>
  rest<{ content: { raw: string }; featured_media: number }>(
    'editor',
    'GET',
    `/wp/v2/posts/${post?.id}?context=edit`,
  )

test('pictures inside a document come into the library as fetched ones do, each once', async () => {
  const large = await noise().png().toBuffer()
  expect(dataUrl(large).length).toBeGreaterThan(1_000_000)
  const document = completed({
    siteId,
    title: 'Pictures inside',
    featured_image: dataUrl(large),
    blocks: [
      image(dataUrl(large), 'Noise'),
      image(dataUrl(await noise(60).jpeg().toBuffer(), 'image/jpeg'), 'A JPEG'),
      image(dataUrl(await noise(60).webp().toBuffer(), 'image/png'), 'A WebP that says it is a PNG'),
      image(dataUrl(await noise(60).gif().toBuffer(), 'image/gif'), 'A GIF'),
      image(dataUrl(png(4, 4, [1, 2, 3])), 'A dot'),
    ],
  })
  const delivery = await deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect(delivery.media).toHaveLength(5)
  const { content, featured_media } = await postOf(delivery)
  expect(content.raw).not.toContain('data:')
  expect(content.raw.match(/<img /g)).toHaveLength(5)
  const files = await findMedia(`parent=${delivery.post?.id}`)
  expect(files.map(({ mime_type }) => mime_type).sort()).toEqual([
    'image/gif',
    'image/jpeg',
    'image/png',
    'image/png',
    'image/webp',
  ])
  expect(files.map(({ id }) => id)).toContain(featured_media)

  // The same pictures in a newer version are those that stand there.
  const again = await deliver({
    ...document,
    data: { ...(document.data as object), title: 'Pictures inside, again' },
  })
  expect(again).toMatchObject({ status: 'delivered', warnings: [], media: delivery.media })
  expect(await findMedia(`parent=${delivery.post?.id}`)).toHaveLength(5)

  const shown = JSON.stringify([again, (await galley.call('GET', '/v1/deliveries')).body, logged])
  expect(shown).not.toContain('base64')
  expect(shown).toContain('data:sha256-')
})

test('large pictures, and those that few show, come as the site can take them', async () => {
  const wide = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#c03020' } })
  const frames = [png(2600, 20, [255, 0, 0]), png(2600, 20, [0, 0, 255])]
  const moving = () => sharp(frames, { join: { animated: true } })
  const pictures = {
    turned: await wide(2800, 2100).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    print: await wide(300, 200).toColourspace('cmyk').jpeg().toBuffer(),
    scan: await wide(2700, 900).tiff({ compression: 'lzw' }).toBuffer(),
    drawing: await wide(1100, 2816).png().toBuffer(),
    moving: await moving().gif().toBuffer(),
    apng: apng(2600, 20),
  }
  const delivery = await deliver(
    completed({
      siteId,
      title: 'Large pictures',
      blocks: Object.entries(pictures).map(([name, bytes]) => image(dataUrl(bytes), name)),
    }),
  )
  expect(delivery).toMatchObject({
    status: 'delivered',
    warnings: [
      { code: 'picture_kept_large', message: expect.stringContaining('moves and is 2600 × 20 pixels') },
    ],
  })
  const files = (await findMedia(`parent=${delivery.post?.id}`)) as unknown as LibraryFile[]
  const shapes = files.map(({ alt_text, mime_type, media_details: { width, height } }) => [
    alt_text,
    [mime_type, width, height],
  ])
  expect(Object.fromEntries(shapes)).toEqual({
    turned: ['image/jpeg', 1920, 2560],
    print: ['image/jpeg', 300, 200],
    scan: ['image/jpeg', 2560, 853],
    drawing: ['image/png', 1000, 2560],
    moving: ['image/gif', 2560, 20],
    apng: ['image/png', expect.any(Number), 20],
  })
  // WordPress had nothing to make smaller itself.
  const scaled = files.filter(({ source_url }) => source_url.includes('-scaled'))
  expect(scaled.filter(({ alt_text }) => alt_text !== 'apng')).toEqual([])
  const { content } = await postOf(delivery)
  const shown = async (name: string) => {
    const [, address = ''] = new RegExp(`src="([^"]+)" alt="${name}"`).exec(content.raw) ?? []
    return sharp(Buffer.from(await (await fetch(address)).arrayBuffer())).metadata()
  }
  expect(await shown('moving')).toMatchObject({ format: 'gif', width: 2560, pages: 2 })
  expect(await shown('print')).toMatchObject({ format: 'jpeg', space: 'srgb' })
})

/** A PNG with the chunk `acTL`, by which it is known to move. */
function apng(width: number, height: number): Buffer {
  const still = png(width, height, [9, 9, 9])
  const chunk = Buffer.from('acTL\0\0\0\x01\0\0\0\0', 'latin1')
  const [length, sum] = [Buffer.from([0, 0, 0, 8]), Buffer.alloc(4)]
  sum.writeUInt32BE(crc32(chunk))
  return Buffer.concat([still.subarray(0, 33), length, chunk, sum, still.subarray(33)])
}

interface LibraryFile {
  alt_text: string
  mime_type: string
  source_url: string
  media_details: { width: number; height: number }
}

test('a document under a reference of its sender is one post, which a newer version changes', async () => {
  const id = `Artikel 42/ü ${randomUUID()}`
  const first = await deliver(completed({ id, siteId, title: 'By reference' }))
  const second = await deliver(completed({ id, siteId, title: 'By reference, changed' }))
  expect(second).toMatchObject({ status: 'delivered', reference: id, post: { id: first.post?.id } })
  expect(await findPosts(`search=By reference&status=draft`)).toHaveLength(1)
})

test('one that is broken, or too large, is a warning that names it, and its caption stays', async () => {
  const cut = (await noise().png().toBuffer()).subarray(0, 200_000)
  const delivery = await deliver(
    completed({
      siteId,
      title: 'Broken pictures inside',
      featured_image: dataUrl(cut),
      blocks: [
        image(dataUrl(cut), 'Cut off', { caption: 'What it would have shown' }),
        image('data:image/png;base64,bm8gcGljdHVyZQ==', 'No picture'),
        image(dataUrl(Buffer.alloc(2_000_001, png(4, 4, [1, 2, 3]))), 'Too large'),
        image('data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>', 'A drawing'),
        { type: 'audio', url: 'data:audio/mpeg;base64,AAAA' },
        image(dataUrl(png(4, 4, [3, 2, 1])), 'A good one'),
      ],
    }),
  )
  expect(delivery.status).toBe('delivered')
  const told = delivery.warnings.map(({ code, message }) => `${code}: ${message}`)
  const address = /data:sha256-[\da-f]{32}/.source
  expect(told).toEqual([
    expect.stringMatching(
      `^picture_left_out: “Cut off”: ${address} .*damaged.* The post has no featured image. It was left out of the post.$`,
    ),
    expect.stringMatching(
      `^picture_left_out: “No picture”: ${address} .*not image/png, as it claims.* It was left out of the post.$`,
    ),
    expect.stringMatching(
      `^picture_left_out: “Too large”: The picture ${address} is larger than 1.9 MB.* It was left out of the post.$`,
    ),
    expect.stringMatching(
      `^picture_left_out: “A drawing”: ${address} .*image/svg.* It was left out of the post.$`,
    ),
    expect.stringMatching(`^file_left_out: ${address} .* It was left out of the post.$`),
  ])
  const { content } = await postOf(delivery)
  expect(content.raw).not.toContain('data:')
  expect(content.raw).toContain('<p>What it would have shown</p>')
  expect(content.raw.match(/<img /g)).toHaveLength(1)
})

test('a preview says the same, and asks nobody for them', async () => {
  const { body } = await galley.call<{ data: { uploads: object[]; warnings: object[] } }>(
    'POST',
    `/v1/sites/${siteId}/preview`,
    completed({
      title: 'Previewed',
      blocks: [
        image(dataUrl(await noise().png().toBuffer()), 'Noise'),
        image('data:image/png;base64,bm8gcGljdHVyZQ==', 'No picture'),
      ],
    }),
  )
  expect(body.data).toMatchObject({
    uploads: [{ url: expect.stringMatching(/^data:sha256-/), mime_type: 'image/png', alt: 'Noise' }],
    warnings: [{ code: 'picture_left_out', message: expect.stringContaining('“No picture”') }],
  })
  expect(JSON.stringify(body)).not.toContain('base64')
})

test('files that the user may not upload are named, each with what becomes of it', async () => {
  const { url, users } = wordpress()
  const { login: username, applicationPassword: application_password } = users.contributor
  await removeSitesOf(galley, username)
  const asked = { url, username, application_password }
  const { body: site } = await galley.call<{ id: string }>('POST', '/v1/sites?check=false', asked)
  const files = await serveFiles({ '/a.png': { type: 'image/png', bytes: png(4, 4, [9, 9, 9]) } })
  const { body } = await galley.call<{ data: { warnings: { code: string; message: string }[] } }>(
    'POST',
    `/v1/sites/${site.id}/preview`,
    completed({
      blocks: [image(dataUrl(png(4, 4, [1, 2, 3])), 'A dot'), image(`${files.url}/a.png`, '')],
    }),
  )
  await files.close()
  expect(body.data.warnings).toMatchObject([
    {
      code: 'picture_left_out',
      message: expect.stringMatching(/^“A dot”: .* not allowed to upload .* It was left out of the post\.$/),
    },
    {
      code: 'file_kept_remote',
      message: expect.stringMatching(
        /^http:\/\/.*\/a\.png: .* The post shows it from its original address\.$/,
      ),
    },
  ])
})
