import type { Access } from './access.ts'
import type { RawAnswer } from './answer.ts'
import type { ModelSettings } from './settings/schema.ts'

/** More of anything than one call uses. */
const ABSURD = 50_000_000

/** A count as a provider claims it; undefined where it is none: negative, a text, a fraction, absurd. */
const count = (claimed: unknown): number | undefined =>
  typeof claimed === 'number' && Number.isSafeInteger(claimed) && claimed >= 0 && claimed <= ABSURD
    ? claimed
    : undefined

/** What was used, by name; a count that is none is left out. Undefined where nothing is left. */
export function usageOf(claimed: Record<string, unknown>): Record<string, number> | undefined {
  const counts = Object.entries(claimed).flatMap(([name, value]) => {
    const known = count(value)
    return known === undefined ? [] : [[name, known] as const]
  })
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}

/** Which price is for which count, and for how many of them. */
const per = {
  input_tokens: ['input', 1_000_000],
  output_tokens: ['output', 1_000_000],
  images: ['image', 1],
  characters: ['characters', 1_000_000],
} as const

/** What that cost in millionths, rounded up; undefined where no price is for it. */
function costOf(usage: Record<string, number> | undefined, { prices }: ModelSettings): number | undefined {
  let micros: number | undefined
  for (const [name, [price, many]] of Object.entries(per)) {
    const [used, each] = [usage?.[name], prices?.[price]]
    if (used !== undefined && each !== undefined) micros = (micros ?? 0) + (used * each * 1_000_000) / many
  }
  return micros === undefined ? undefined : Math.ceil(micros - 1e-6)
}

/** More than one call costs, in whole units of a currency. */
const TOO_DEAR = 10_000

/** What a provider itself says that it charged, in millionths; undefined where that is no amount. */
const chargedMicros = (charged: unknown): number | undefined =>
  typeof charged === 'number' && charged >= 0 && charged <= TOO_DEAR
    ? Math.ceil(charged * 1_000_000 - 1e-6)
    : undefined

interface Kept extends Pick<RawAnswer, 'body' | 'contentType'> {
  usage: Record<string, number> | undefined
  /** In whole units of a currency, by the provider's own word; counts where the settings have no price. */
  charged?: unknown
}

/** An answer as it is kept, with what it used and cost where that is known. */
export function rawAnswer(
  { name, model, options }: Pick<Access, 'name' | 'model' | 'options'>,
  { usage, charged, ...answer }: Kept,
): RawAnswer {
  const costMicros = costOf(usage, options) ?? chargedMicros(charged)
  return {
    provider: name,
    model,
    ...answer,
    ...(usage === undefined ? {} : { usage }),
    ...(costMicros === undefined ? {} : { costMicros }),
  }
}
