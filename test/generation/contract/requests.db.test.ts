import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JobKind, tiers } from '../../../src/contract/generation/requests.ts'
import { startApp, type TestApp } from '../../http/app.ts'
import { someProviders } from '../providers.ts'
import { nested, refused, stored, verdict } from './ordering.ts'

let app: TestApp
let siteId: string
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 }, undefined, undefined, someProviders)
  siteId = crypto.randomUUID()
  await site(siteId, app.owner.id)
})
afterAll(() => app.stop())

const site = (id: string, accountId: string) =>
  app.database.prisma.site.create({
    data: {
      id,
      accountId,
      name: 'Site',
      url: 'https://site.example',
      restRoot: 'https://site.example/wp-json/',
      username: 'galley',
      applicationPassword: 'unused',
    },
  })

describe('the request for a document', () => {
  it('202-prompt alone: every other member has its default (D1, D2, D3, D4, D5, D6, D7, D9, D10, D12, D14, D15, D16)', async () => {
    expect(await stored(app, 'document')).toEqual({
      prompt: 'How tides come about',
      model: 'standard',
      content_type: 'article',
      keywords: [],
      text: { length: 2000, formality: 'professional', voice: 'neutral', model: 'standard' },
      image: { enabled: true, model: 'standard' },
      research: { model: 'standard' },
      audio: {
        enabled: false,
        model: 'standard',
        voice: 'Kore',
        language: 'en-US',
        format: 'mp3',
        style: null,
      },
      webhook_url: null,
      delivery: null,
    })
  })

  it('202-everything given is kept (D8, D10, D11, D13, D18, D19, D20, D21, D22)', async () => {
    const given = {
      prompt: 'How tides come about',
      model: 'basic',
      content_type: 'news',
      keywords: ['tides', 'moon'],
      text: { length: 300, formality: 'formal', voice: 'empathetic', model: 'advanced' },
      image: { enabled: false, model: 'basic' },
      research: { model: 'standard' },
      audio: {
        enabled: true,
        model: 'advanced',
        voice: 'Zubenelgenubi',
        language: 'de-DE',
        format: 'wav',
        style: 'slowly',
      },
      webhook_url: 'https://example.com/hook',
    }
    const terms = { categories: ['Science'], tags: ['sea'] }
    const fields = { author: 'Ada', slug: 'tides', fields: { rating: 4 }, seo: { noindex: true } }
    const delivery = { post_status: 'pending', on_loss: 'hold' }
    const asked = {
      ...{ ...given, ...delivery, ...terms, site_id: siteId },
      metadata: { ...fields, publish_at: '2030-01-31T09:30:00+01:00', excerpt: null },
    }
    expect(await stored(app, 'document', asked)).toEqual({
      ...given,
      delivery: {
        id: siteId,
        ...delivery,
        metadata: { ...terms, ...fields, publish_at: '2030-01-31T08:30:00.000Z' },
      },
    })
  })

  it('202-the tier of a step is its own, or that of the document (D2, D8, D10, D11, D13)', async () => {
    const request = await stored(app, 'document', { model: 'advanced', research: { model: 'basic' } })
    expect([request.text, request.image, request.research, request.audio].map(({ model }) => model)).toEqual([
      'advanced',
      'advanced',
      'basic',
      'advanced',
    ])
  })

  it('202-a site alone: a draft without terms (D19, D20)', async () => {
    expect((await stored(app, 'document', { site_id: siteId.toUpperCase() })).delivery).toEqual({
      id: siteId,
      post_status: 'draft',
      metadata: { categories: [], tags: [] },
    })
  })

  it('422-what only a site gives a meaning, without one, each by name (D20, D21, D22, D24, D25)', async () => {
    const post = { post_status: 'publish', on_loss: 'hold', categories: ['a'], tags: ['b'], metadata: {} }
    expect(await verdict(app, 'document', post)).toEqual(Object.keys(post).map((name) => `body.${name}`))
    expect(await refused(app, 'document', { tags: [] })).toEqual({
      'body.tags': 'needs site_id: without a site there is no post',
    })
  })

  it('422-fields of the post that there are not, each by name (D25)', async () => {
    const metadata = { autor: 'Ada', publish_at: 'soon' }
    expect(await refused(app, 'document', { site_id: siteId, metadata })).toEqual({
      'body.metadata': expect.stringContaining('did you mean "author"?'),
      'body.metadata.publish_at': expect.any(String),
    })
  })

  it('422-a site that the account does not have, or that is another account’s (D19)', async () => {
    const foreign = crypto.randomUUID()
    await site(foreign, app.stranger.id)
    for (const site_id of [crypto.randomUUID(), foreign])
      expect(await refused(app, 'document', { site_id })).toEqual({
        'body.site_id': 'is not a site of this account',
      })
    expect(await verdict(app, 'document', { site_id: 'my-site' })).toEqual(['body.site_id'])
  })

  it('422-every field that is wrong is named at once (X1)', async () => {
    const wrong = {
      prompt: 'short',
      model: 'best',
      keywords: Array.from({ length: 11 }, (_, n) => `k${n}`),
      text: { length: 99, voice: 'loud' },
      audio: { voice: 'Korr' },
      webhook_url: 'ftp://example.com',
      tags: ['x'],
      mode: 'fast',
    }
    expect((await verdict(app, 'document', wrong)).toString().split(',').sort()).toEqual([
      'body',
      'body.audio.voice',
      'body.keywords',
      'body.model',
      'body.prompt',
      'body.tags',
      'body.text.length',
      'body.text.voice',
      'body.webhook_url',
    ])
  })

  it('422-a member that is not known is refused by name, with what was probably meant (X2)', async () => {
    expect(await refused(app, 'document', { contenttype: 'news' })).toEqual({
      body: expect.stringContaining('did you mean "content_type"?'),
    })
    expect(await refused(app, 'document', { text: { formalty: 'formal' } })).toEqual({
      'body.text': expect.stringContaining('did you mean "formality"?'),
    })
  })

  it.each([
    [0, 'accepted'],
    [10, 'accepted'],
    [11, ['body.keywords']],
  ])('%i keywords: %j (D4)', async (count, expected) => {
    const keywords = Array.from({ length: count }, (_, n) => `word ${n}`)
    expect(await verdict(app, 'document', { keywords })).toEqual(expected)
  })

  it.each([
    [99, false],
    [100, true],
    [10_000, true],
    [10_001, false],
    [2_000.5, false],
    ['2000', false],
    [null, false],
  ])('text.length %j: %j (D5)', async (length, fits) => {
    expect(await verdict(app, 'document', { text: { length } })).toEqual(
      fits ? 'accepted' : ['body.text.length'],
    )
  })
})

/** Fields that hold text: what a text of so many characters may be. */
const lengths: [JobKind, string, number, number, string][] = [
  ['document', 'prompt', 10, 5_000, 'D1'],
  ['document', 'audio.style', 0, 4_000, 'D18'],
  ['audio', 'text', 10, 100_000, 'A1'],
  ['audio', 'style', 0, 4_000, 'A5'],
  ['image', 'prompt', 10, 2_000, 'I1'],
]

describe.each(lengths)('%s %s: %i to %i characters (%s)', (kind, path, fewest, most) => {
  const fields = [`body.${path}`]
  // Two UTF-16 code units, four bytes, one character.
  it.each(['x', '🌊'])('of %s, at both ends', async (character) => {
    const of = (count: number) => verdict(app, kind, nested(path, character.repeat(count)))
    expect([await of(fewest), await of(most), await of(most + 1)]).toEqual(['accepted', 'accepted', fields])
    if (fewest > 0) expect(await of(fewest - 1)).toEqual(fields)
  })

  it('and nothing that no database keeps', async () => {
    expect(await verdict(app, kind, nested(path, `ten letters\0`))).toEqual(fields)
    expect(await verdict(app, kind, nested(path, `ten letters\ud83d`))).toEqual(fields)
    expect(await verdict(app, kind, nested(path, 7))).toEqual(fields)
  })
})

it('202-the longest text with every character escaped is no larger than a body may be (A1)', async () => {
  const text = '\\ud83c\\udf0a'.repeat(100_000)
  const { status } = await app.ask('POST', '/v1/audio/create', { body: `{"text":"${text}"}` })
  expect(status).toBe(202)
})

it.each(['document', 'audio', 'image'] as const)(
  '422-a required member that is missing, or of blanks alone: %s (D1, A1, I1)',
  async (kind) => {
    const path = kind === 'audio' ? 'text' : 'prompt'
    expect(await refused(app, kind, { [path]: undefined })).toEqual({
      [`body.${path}`]: 'is missing: it must be a string',
    })
    expect(await verdict(app, kind, { [path]: ' '.repeat(20) })).toEqual([`body.${path}`])
  },
)

const thirty = [
  'Kore, Puck, Charon, Fenrir, Zephyr, Aoede, Leda, Orus, Achernar, Achird, Algenib, Algieba, Alnilam, Autonoe, Callirrhoe',
  'Despina, Enceladus, Erinome, Gacrux, Iapetus, Laomedeia, Pulcherrima, Rasalgethi, Sadachbia, Sadaltager, Schedar',
  'Sulafat, Umbriel, Vindemiatrix, Zubenelgenubi',
].flatMap((part) => part.split(', '))

/** Fields that are one of a few words. Written out, since the schemas in the code are what is looked at. */
const enumerations: [JobKind, string, readonly string[], string][] = [
  ['document', 'model', ['basic', 'standard', 'advanced'], 'D2'],
  ['document', 'content_type', ['article', 'news'], 'D3'],
  ['document', 'text.formality', ['formal', 'professional', 'conversational'], 'D6'],
  [
    'document',
    'text.voice',
    ['neutral', 'enthusiastic', 'empathetic', 'authoritative', 'persuasive', 'inspirational'],
    'D7',
  ],
  ['document', 'text.model', tiers, 'D8'],
  ['document', 'image.model', ['auto', ...tiers], 'D10'],
  ['document', 'research.model', tiers, 'D11'],
  ['document', 'audio.model', tiers, 'D13'],
  ['document', 'audio.voice', thirty, 'D14'],
  ['document', 'audio.format', ['mp3', 'opus', 'wav'], 'D16'],
  ['audio', 'voice', thirty, 'A2'],
  ['audio', 'format', ['mp3', 'opus', 'wav'], 'A4'],
  ['audio', 'model', tiers, 'A6'],
  ['image', 'model', tiers, 'I2'],
  [
    'image',
    'style',
    [
      'photograph',
      'illustration',
      'digital_art',
      '3d_render',
      'painting',
      'sketch',
      'infographic',
      'technical_diagram',
    ],
    'I3',
  ],
  ['image', 'size', ['landscape', 'square', 'portrait', 'auto'], 'I4'],
  ['image', 'quality', ['low', 'medium', 'high'], 'I5'],
  ['image', 'format', ['png', 'jpeg', 'webp'], 'I6'],
  ['image', 'background', ['auto', 'opaque'], 'I7'],
]

it.each(enumerations)('%s %s is one of %j, and nothing else (%s)', async (kind, path, words, _line) => {
  const verdicts = await Promise.all(words.map((word) => verdict(app, kind, nested(path, word))))
  expect(verdicts.filter((found) => found !== 'accepted')).toEqual([])
  for (const wrong of [words[0]?.toUpperCase(), '', null, [words[0]]])
    expect(await verdict(app, kind, nested(path, wrong))).toEqual([`body.${path}`])
})

it('post_status is one of three, and nothing else (D20)', async () => {
  const of = (post_status: unknown) => verdict(app, 'document', { site_id: siteId, post_status })
  expect([await of('draft'), await of('publish'), await of('pending')]).toEqual(Array(3).fill('accepted'))
  for (const wrong of ['private', 'future', '', null]) expect(await of(wrong)).toEqual(['body.post_status'])
})

it.each(['image.enabled', 'audio.enabled'])('%s is true or false (D9, D12)', async (path) => {
  expect(await verdict(app, 'document', nested(path, true))).toBe('accepted')
  expect(await verdict(app, 'document', nested(path, false))).toBe('accepted')
  for (const wrong of ['true', 1, null])
    expect(await verdict(app, 'document', nested(path, wrong))).toEqual([`body.${path}`])
})

it.each(['text', 'image', 'research', 'audio'])('%s is an object (D23)', async (name) => {
  expect(await verdict(app, 'document', { [name]: {} })).toBe('accepted')
  for (const wrong of ['x', [], null, 1])
    expect(await verdict(app, 'document', { [name]: wrong })).toEqual([`body.${name}`])
})

it.each([
  ['audio', 'language', 'A3'],
  ['document', 'audio.language', 'D15'],
] as const)('%s %s is a language code, spelled as everywhere (%s)', async (kind, path, _line) => {
  for (const code of ['en', 'en-US', 'de-CH-1996', 'zh-Hant-TW'])
    expect(await verdict(app, kind, nested(path, code))).toBe('accepted')
  for (const wrong of ['', 'english', 'e', 'en_US', 'en-', 'x-private', '../en', 'en-US-US-a'.repeat(9), 7])
    expect(await verdict(app, kind, nested(path, wrong))).toEqual([`body.${path}`])
  const { language } = await stored(app, 'audio', { language: 'EN-us' })
  expect(language).toBe('en-US')
})

it('202-the text alone: every other member of the request for audio has its default (A1, A2, A3, A4, A5, A6, A7)', async () => {
  expect(await stored(app, 'audio')).toEqual({
    text: 'The sea rises and falls.',
    voice: 'Kore',
    language: 'en-US',
    format: 'mp3',
    style: null,
    model: 'standard',
    webhook_url: null,
  })
})

it('202-the prompt alone: every other member of the request for an image has its default (I1, I2, I3, I4, I5, I6, I7, I8)', async () => {
  expect(await stored(app, 'image')).toEqual({
    prompt: 'A harbour at low water',
    model: 'standard',
    style: 'photograph',
    size: 'landscape',
    quality: 'high',
    format: 'png',
    background: 'auto',
    webhook_url: null,
  })
})

it('422-a transparent jpeg, whatever else is wrong; 503 where no provider draws one (I7)', async () => {
  const transparent = { background: 'transparent' }
  expect(await verdict(app, 'image', { ...transparent, format: 'jpeg', size: 'huge' })).toEqual([
    'body.size',
    'body.background',
  ])
  await expect(verdict(app, 'image', transparent)).rejects.toThrow(
    /503 .*PROVIDER_NOT_CONFIGURED.*it draws no transparent pictures/,
  )
})

it.each(['document', 'audio', 'image'] as const)(
  'webhook_url of %s is an http or https address (D17, A7, I8)',
  async (kind) => {
    const of = (webhook_url: unknown) => verdict(app, kind, { webhook_url })
    for (const good of [
      'https://example.com/hook?a=1',
      'http://203.0.113.7:8080/',
      'https://bücher.example/',
    ])
      expect(await of(good)).toBe('accepted')
    for (const wrong of [
      '',
      'example.com',
      'ftp://example.com/',
      'javascript:alert(1)',
      'https://',
      'https://user:secret@example.com/',
      'https://user@example.com/',
      `https://example.com/${'x'.repeat(2_000)}`,
      'https://example.com/\ud83d',
      null,
      7,
      ['https://example.com/'],
    ])
      expect([wrong, await of(wrong)]).toEqual([wrong, ['body.webhook_url']])
  },
)
