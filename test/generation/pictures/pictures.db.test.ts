import { pino } from 'pino'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import type { ImageRequest } from '../../../src/contract/generation/requests.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import { drawPictures, makeImage, type PlannedPicture } from '../../../src/generation/pipeline/pictures.ts'
import type { StepNeeds } from '../../../src/generation/pipeline/types.ts'
import { cardPictures as createCards } from '../../../src/generation/providers/cards/cards.ts'
import type { PictureProvider, PictureRequest } from '../../../src/generation/providers/types.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { png } from '../../support/files.ts'
import { attempt, documentRequest, type Kept } from '../attempt.ts'
import { noProviders } from '../providers.ts'
import { type StorageStage, startStorage } from '../storage/stage.ts'

let stage: StorageStage
const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
beforeAll(async () => {
  stage = await startStorage()
})
afterAll(async () => {
  await stage.stop()
  await outbound.close()
})

const imageRequest: ImageRequest = {
  prompt: 'A tree in a street',
  model: 'standard',
  style: 'sketch',
  size: 'square',
  quality: 'low',
  format: 'webp',
  background: 'auto',
  webhook_url: null,
}

/** Somebody who draws, from one colour; fails where told. */
function painter(fails: (request: PictureRequest) => GenerationError | undefined = () => undefined) {
  const asked: PictureRequest[] = []
  const provider: PictureProvider = {
    name: 'painter',
    model: 'paint-1',
    notice: null,
    cannot: ({ background }) => (background === 'transparent' ? 'it paints whole canvases' : undefined),
    draw: async (request) => {
      asked.push(request)
      const failure = fails(request)
      if (failure !== undefined) throw failure
      return { provider: 'painter', model: 'paint-1', body: png(640, 480, [40, 80, 120]) }
    },
    read: async ({ body }) => Buffer.from(body),
  }
  return { provider, asked }
}

const needs = (...providers: PictureProvider[]): StepNeeds => ({
  providers: { ...noProviders, pictures: () => providers },
  storage: stage.storage,
  outbound,
  budget: createByteBudget(),
  log: pino({ level: 'silent' }),
})

const image = (request: Partial<ImageRequest> = {}, kept?: Kept) =>
  attempt('image', { ...imageRequest, ...request }, kept, stage.accountId)
const document = (kept?: Kept) => attempt('document', documentRequest, kept, stage.accountId)

const featured: PlannedPicture = { name: 'featured', subject: 'Trees', alt: 'A tree' }
const section: PlannedPicture = { name: 'section-2', subject: 'Shade', alt: 'A shade' }

const refused = new GenerationError({
  reason: 'CONTENT_MODERATION',
  of: 'job',
  message: 'It will not be drawn.',
})

describe('an image job', () => {
  it('gives the address of a picture as it was asked for', async () => {
    const { provider, asked } = painter()
    const { url } = await makeImage(image(), needs(provider))
    const token = /files\/([^/.]+)\.webp$/.exec(url)?.[1] ?? ''
    const { width, height, format } = await sharp(await stage.storage.read(token)).metadata()
    const file = await stage.storage.own(url)
    expect([width, height, format, file !== 'gone' && file?.type]).toEqual([1024, 1024, 'webp', 'image/webp'])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ subject: 'A tree in a street', quality: 'low', size: 'square' })
  })

  it('puts the style into words, and asks for no text', async () => {
    const { provider, asked } = painter()
    await makeImage(image({ style: 'technical_diagram' }), needs(provider))
    expect(asked[0]?.prompt).toMatch(/^A tree in a street\n\nA technical diagram/)
    expect(asked[0]?.prompt).toContain('No text anywhere in the picture')
  })

  it('says that its provider takes no quality, which no document asks for', async () => {
    const { provider } = painter()
    const plain = {
      ...provider,
      draw: async (...asked: Parameters<typeof provider.draw>) => ({
        ...(await provider.draw(...asked)),
        withoutQuality: true,
      }),
    }
    const run = image()
    await makeImage(run, needs(plain))
    const ofDocument = document()
    await drawPictures(ofDocument, needs(plain), [featured])
    expect([run.warnings.map(({ code }) => code), ofDocument.warnings]).toEqual([['quality_ignored'], []])
  })

  it('made again after its end, asks nobody, and gives the same address', async () => {
    const { provider, asked } = painter()
    const run = image()
    const first = await makeImage(run, needs(provider))
    expect(await makeImage(image({}, run.kept), needs(provider))).toEqual(first)
    expect(asked).toHaveLength(1)
  })

  it('whose provider answered before its process ended asks nobody again', async () => {
    const { provider, asked } = painter()
    const run = image()
    await makeImage(run, needs(provider))
    run.kept.delete('images/picture-file')
    await makeImage(image({}, run.kept), needs(provider))
    expect(asked).toHaveLength(1)
  })

  it('that no provider can do is refused with the reasons of each', async () => {
    const { provider, asked } = painter()
    const run = image({ background: 'transparent' })
    await expect(
      makeImage(run, needs(provider, createCards({ name: 'cards', model: '', concurrency: undefined }))),
    ).rejects.toMatchObject({
      reason: 'PROVIDER_REJECTED',
      message: expect.stringMatching(/painter: it paints whole canvases; cards: .*cannot be transparent/),
    })
    expect(asked).toEqual([])
  })

  it('drawn as a card says so, also in a later attempt', async () => {
    const cards = createCards({ name: 'cards', model: '', concurrency: undefined })
    const run = image()
    await makeImage(run, needs(cards))
    const again = image({}, run.kept)
    await makeImage(again, needs(cards))
    for (const { warnings } of [run, again])
      expect(warnings).toEqual([
        { code: 'picture_notice', message: expect.stringContaining('no image model made it') },
      ])
  })
})

describe('the pictures of a document', () => {
  it('are there by their names, each with its size and an alternative text', async () => {
    const { provider } = painter()
    const pictures = await drawPictures(document(), needs(provider), [featured, section])
    const url = expect.stringMatching(/\.jpg$/)
    expect(pictures).toEqual({
      featured: { url, alt: 'A tree', width: 1536, height: 1024 },
      'section-2': { url, alt: 'A shade', width: 1536, height: 1024 },
    })
  })

  it('do without one of a section that nobody draws, and say so', async () => {
    const { provider } = painter(({ subject }) => (subject === 'Shade' ? refused : undefined))
    const run = document()
    const pictures = await drawPictures(run, needs(provider), [featured, section])
    expect(Object.keys(pictures)).toEqual(['featured'])
    expect(run.warnings).toEqual([
      { code: 'picture_left_out', message: 'A picture was left out. It will not be drawn.' },
    ])
  })

  it('do without the featured one too', async () => {
    const { provider } = painter(({ subject }) => (subject === 'Trees' ? refused : undefined))
    const run = document()
    const pictures = await drawPictures(run, needs(provider), [featured, section])
    expect(Object.keys(pictures)).toEqual(['section-2'])
    expect(run.warnings).toEqual([
      { code: 'picture_left_out', message: 'Its featured image was left out. It will not be drawn.' },
    ])
  })

  it('wait for a provider that is away, and then draw only what is missing', async () => {
    const away = new GenerationError({ reason: 'PROVIDER_UNAVAILABLE', of: 'provider', message: 'Away.' })
    let isAway = true
    const { provider, asked } = painter(({ subject }) => (isAway && subject === 'Shade' ? away : undefined))
    const run = document()
    await expect(drawPictures(run, needs(provider), [featured, section])).rejects.toBe(away)
    await expect.poll(() => run.kept.has('images/picture-featured-file')).toBe(true)
    isAway = false
    expect(Object.keys(await drawPictures(document(run.kept), needs(provider), [featured, section]))).toEqual(
      ['featured', 'section-2'],
    )
    expect(asked.map(({ subject }) => subject).sort()).toEqual(['Shade', 'Shade', 'Trees'])
  })
})
