import type { JobKind, RequestByKind, Tier } from '../../contract/generation/requests.ts'
import { countCharacters } from '../../contract/scalars.ts'

/** What things cost, in whole credits; each is multiplied by the factor of its tier. `GALLEY_PRICES` sets them. */
export interface Prices extends Record<Tier, number> {
  /** 500 words of text, begun ones counted. */
  text: number
  /** The research of a document. */
  research: number
  /** The pictures of a document. */
  images: number
  /** An image by itself. */
  image: number
  /** 1,000 characters of speech, begun ones counted. */
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

/** The most that one of them may be: the dearest document then costs some ten million, and credits are 32-bit integers. */
const MAX_PRICE = 1_000

/**
 * A list of prices as the setting has it, `text=2,advanced=8`; what it does not name keeps its default.
 *
 * @throws Error in words for whoever set it
 */
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

/** Characters of a word, as speech is priced before there are any: five letters and what divides them. */
const CHARACTERS_PER_WORD = 6

const speech = (characters: number, model: Tier, prices: Prices): number =>
  Math.ceil(characters / 1_000) * prices.speech * prices[model]

/** By kind: a price is a function of the request alone, so that it is known before anything is made. */
const priceByKind: { [Kind in JobKind]: (request: RequestByKind[Kind], prices: Prices) => number } = {
  document: ({ text, research, image, audio }, prices) =>
    Math.ceil(text.length / 500) * prices.text * prices[text.model] +
    prices.research * prices[research.model] +
    (image.enabled ? prices.images * prices[image.model] : 0) +
    (audio.enabled ? speech(text.length * CHARACTERS_PER_WORD, audio.model, prices) : 0),
  audio: ({ text, model }, prices) => speech(countCharacters(text), model, prices),
  image: ({ model }, prices) => prices.image * prices[model],
}

/** What a job costs, in credits. */
export const priceOf = <Kind extends JobKind>(
  kind: Kind,
  request: RequestByKind[Kind],
  prices: Prices,
): number => priceByKind[kind](request, prices)
