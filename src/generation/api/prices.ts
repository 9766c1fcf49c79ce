import type { JobKind, RequestByKind, Tier } from '../../contract/generation/requests.ts'
import type { GenerationStep } from '../../contract/generation/results.ts'
import { countCharacters } from '../../contract/scalars.ts'

/** Prices in whole credits, multiplied by the tier's factor. `GALLEY_PRICES` sets them. */
export interface Prices extends Record<Tier, number> {
  /** Per 500 words of text, rounded up. */
  text: number
  research: number
  images: number
  image: number
  /** Per 1,000 characters of speech, rounded up. */
  speech: number
}

export const defaultPrices: Readonly<Prices> = {
  text: 1,
  research: 2,
  images: 4,
  image: 2,
  speech: 1,
  basic: 1,
  standard: 2,
  advanced: 4,
}

/** Keeps the dearest document at some ten million; credits are 32-bit integers. */
const MAX_PRICE = 1_000

/** Parses `text=2,advanced=8`; others keep their default. @throws Error in words for the operator */
export function parsePrices(text: string): Prices {
  const prices: Prices = { ...defaultPrices }
  const names = Object.keys(defaultPrices) as (keyof Prices)[]
  for (const entry of text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const [given = '', value = ''] = entry.split('=').map((part) => part.trim())
    const name = names.find((known) => known === given)
    if (name === undefined) throw new Error(`${given} has no price; there are ${names.join(', ')}`)
    if (!/^\d{1,4}$/.test(value) || Number(value) > MAX_PRICE)
      throw new Error(`${given} must be a whole number from 0 to ${MAX_PRICE}`)
    prices[name] = Number(value)
  }
  return prices
}

/** Characters per word for pricing speech before its text exists: five letters and a separator. */
const CHARACTERS_PER_WORD = 6

const speech = (characters: number, model: Tier, prices: Prices): number =>
  Math.ceil(characters / 1_000) * prices.speech * prices[model]

const priceByKind: {
  [Kind in JobKind]: (request: RequestByKind[Kind], prices: Prices) => Partial<Record<GenerationStep, number>>
} = {
  document: ({ text, research, image, audio }, prices) => ({
    researching: prices.research * prices[research.model],
    generating: Math.ceil(text.length / 500) * prices.text * prices[text.model],
    images: image.enabled ? prices.images * prices[image.model] : 0,
    audio: audio.enabled ? speech(text.length * CHARACTERS_PER_WORD, audio.model, prices) : 0,
  }),
  audio: ({ text, model }, prices) => ({ generating: speech(countCharacters(text), model, prices) }),
  image: ({ model }, prices) => ({ generating: prices.image * prices[model] }),
}

export const stepPrices = <Kind extends JobKind>(kind: Kind, request: RequestByKind[Kind], prices: Prices) =>
  priceByKind[kind](request, prices)

export const priceOf = <Kind extends JobKind>(
  kind: Kind,
  request: RequestByKind[Kind],
  prices: Prices,
): number => Object.values(stepPrices(kind, request, prices)).reduce((sum, price) => sum + price, 0)
