import { completed } from '../../support/webhooks.ts'
import { mutate } from '../requests/sample.ts'
import type { Draw } from '../stage/random.ts'
import { hostileTexts, hostileValues, rawValues, shortTexts, toJson } from '../stage/texts.ts'
import { blockMakers } from './documents.ts'

/** A webhook, and what it is in a few words. */
export interface HostileWebhook {
  text: string
  label: string
}

const EVENTS = [
  'document.completed',
  'document.failed',
  'research.completed',
  'research.failed',
  'text.completed',
  'text.failed',
  'image.completed',
  'image.failed',
  'audio.completed',
  'audio.failed',
  'document.started',
  'DOCUMENT.COMPLETED',
  '',
]

/** Makes webhooks for some sites, the same ones for the same seed. */
export function webhookMaker(
  draw: Draw,
  { siteIds, pictures }: { siteIds: readonly string[]; pictures: readonly string[] },
): () => HostileWebhook {
  const names = () =>
    draw.pick<unknown>([
      ['News', 'Local'],
      [draw.pick(hostileTexts), draw.pick(shortTexts)],
      Array.from({ length: draw.pick([50, 500, 5_000]) }, (_, n) => `Name ${n}`),
      Array.from({ length: 40 }, () => 'a > '.repeat(20)),
      draw.pick(hostileValues),
      draw.pick(rawValues),
    ])

  const document = (): { body: unknown; label: string } => {
    const kinds = Array.from({ length: draw.pick([1, 1, 2, 4]) }, () => draw.pick(Object.keys(blockMakers)))
    const blocks = kinds.flatMap((kind) => blockMakers[kind]?.(draw, pictures) ?? [])
    const odd = <Value>(value: Value, likely: number): Value | string =>
      draw.chance(likely) ? draw.pick(draw.pick([hostileTexts, shortTexts])) : value
    const body = completed({
      id: draw.uuid(),
      siteId: draw.pick(siteIds),
      title: odd('A title', 0.2),
      slug: odd('a-slug', 0.2),
      description: odd('About it.', 0.2),
      blocks,
      post_status: draw.pick(['draft', 'publish', 'pending'] as const),
      ...(draw.chance(0.1) && { featured_image: odd(draw.pick(pictures), 0.5) }),
    })
    if (draw.chance(0.3))
      Object.assign(body.delivery as object, { metadata: { categories: names(), tags: names() } })
    return { body, label: kinds.join(', ') }
  }

  const event = (): HostileWebhook => {
    const body = {
      event: draw.pick(EVENTS),
      id: draw.pick<unknown>([
        draw.uuid(),
        '123',
        draw.pick(shortTexts),
        draw.pick(hostileValues),
        draw.uuid().toUpperCase(),
      ]),
      status: draw.pick<unknown>(['completed', 'failed', draw.pick(hostileValues)]),
      data: draw.pick<unknown>([{}, null, draw.pick(hostileValues)]),
      error: draw.pick<unknown>([
        { step: 'x', message: draw.pick(hostileTexts), code: draw.pick(shortTexts) },
        null,
      ]),
      delivery: draw.pick<unknown>([
        { id: draw.pick(siteIds) },
        { id: '123' },
        { post_status: draw.pick(shortTexts) },
        null,
      ]),
    }
    return { text: toJson(body), label: `event ${body.event} ${toJson(body.id).slice(0, 40)}` }
  }

  const sound = (): HostileWebhook => {
    const { body, label } = document()
    return { text: toJson(body), label }
  }

  const broken = (): HostileWebhook => {
    const { body, label } = document()
    return { text: toJson(mutate(draw, mutate(draw, body))), label: `mutated: ${label}` }
  }

  const noJson = (): HostileWebhook => {
    const text = draw.pick([
      ...hostileTexts,
      ...rawValues.map((value) => value.text),
      '{"event":',
      '\ufeff{}',
    ])
    return { text, label: `text ${JSON.stringify(text.slice(0, 40))}` }
  }

  return () => {
    const kind = draw.next()
    if (kind < 0.6) return sound()
    if (kind < 0.75) return event()
    return kind < 0.95 ? broken() : noJson()
  }
}
