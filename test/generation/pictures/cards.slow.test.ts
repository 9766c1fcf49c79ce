import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { cardPictures as createCards } from '../../../src/generation/providers/cards/cards.ts'
import type { PictureRequest } from '../../../src/generation/providers/types.ts'

const cards = createCards({ name: 'cards', model: '', concurrency: undefined })
const context = { idempotencyKey: 'job/picture', signal: new AbortController().signal }
const request: PictureRequest = {
  prompt: 'Words for a model',
  subject: 'Why cities plant trees',
  size: 'landscape',
  quality: 'high',
  background: 'auto',
  format: 'png',
}

async function card(subject: string, more: Partial<PictureRequest> = {}) {
  const asked = { ...request, subject, ...more }
  return cards.read(await cards.draw(asked, context), context)
}

/** Pixels that are as white as letters are; the shape and the grounds are not. */
async function whiteOf(bytes: Buffer): Promise<number> {
  const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let white = 0
  for (let at = 0; at < data.length; at += 3)
    if ((data[at] ?? 0) > 250 && (data[at + 1] ?? 0) > 250 && (data[at + 2] ?? 0) > 250) white += 1
  return white
}

describe('a card', () => {
  it('has the size that was asked for, the same each time', async () => {
    const first = await card('Why cities plant trees', { size: 'portrait' })
    const { width, height, format } = await sharp(first).metadata()
    expect([width, height, format]).toEqual([1024, 1536, 'png'])
    expect(await card('Why cities plant trees', { size: 'portrait' })).toEqual(first)
  })

  it.each([
    ['Latin', 'Warum Städte Bäume pflanzen – čeština, Tiếng Việt, İstanbul'],
    ['Greek', 'Γιατί οι πόλεις φυτεύουν δέντρα'],
    ['Cyrillic', 'Почему города сажают деревья, і чому'],
    ['decomposed', 'Stadte'.normalize('NFD')],
  ])('shows letters that are %s', async (_script, text) => {
    expect(await whiteOf(await card(text))).toBeGreaterThan(5_000)
  })

  it.each([
    ['Japanese', '都市が木を植える理由'],
    ['Arabic', 'لماذا تزرع المدن الأشجار'],
    ['Hebrew', 'מדוע ערים נוטעות עצים'],
    ['Devanagari', 'शहर पेड़ क्यों लगाते हैं'],
    ['partly another', 'Trees 木'],
    ['halves of characters', '\ud83d \udc00'],
    ['nothing but pictures', '🌳🌳👨‍👩‍👧'],
    ['nothing', '  '],
  ])('shows no text, and no boxes, where its letters are %s', async (_script, text) => {
    expect(await whiteOf(await card(text))).toBe(0)
  })

  it('leaves out a picture among letters, and a sign that the typeface lacks', async () => {
    const plain = await card('Why trees')
    expect(await card('Why 🌳 trees')).toEqual(plain)
    expect(await card('Why ☰ trees')).not.toEqual(plain)
    expect(await whiteOf(await card('Why \u2630 trees \u25a1'))).toBeGreaterThan(3_000)
  })

  it('has room for a long text, and for one long word', async () => {
    for (const text of ['word '.repeat(400), 'x'.repeat(2_000)]) {
      const bytes = await card(text)
      const edge = { left: 0, top: 1024 - 40, width: 1536, height: 40 }
      expect(await whiteOf(await sharp(bytes).extract(edge).png().toBuffer())).toBe(0)
      const right = { left: 1536 - 40, top: 0, width: 40, height: 1024 }
      expect(await whiteOf(await sharp(bytes).extract(right).png().toBuffer())).toBe(0)
    }
  })

  it('says what it is, and that it cannot be transparent', () => {
    expect(cards.notice).toContain('no image model made it')
    expect(cards.cannot({ ...request, background: 'transparent' })).toContain('cannot be transparent')
    expect(cards.cannot(request)).toBeUndefined()
  })
})
