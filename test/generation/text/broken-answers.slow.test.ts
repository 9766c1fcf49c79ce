import { describe, expect, it } from 'vitest'
import { breakages } from '../../support/generation/breakages.ts'
import { documentRequest, renderPost, writeDocument } from '../../support/generation/documents.ts'
import { simulatedWriter } from '../../support/generation/writer.ts'
import { samples, seeded } from '../../support/random.ts'

const kinds = ['outline', 'section'] as const
const EACH = samples(10)

/** Writers whose second answer is as broken as the first one in a quarter of the cases. */
const AGAIN = 25

const request = documentRequest({
  prompt: 'How tides work, with a table of ports and some code',
  text: { length: 300 },
  keywords: ['neap tide'],
})

/** How often a broken answer to one question is asked about: 0, 1; undefined where the job fails over it. */
async function questionsFor(
  breakage: string,
  kind: (typeof kinds)[number],
  seed: number,
): Promise<number | undefined> {
  const random = seeded(seed)
  const all = Object.values(breakages)
  let times = 0
  const writer = simulatedWriter({
    seed,
    instead: ({ schema, messages }, _asked, text) => {
      if (schema?.name !== kind) return undefined
      if (messages.length === 1) return times++ === 0 ? breakages[breakage]?.(text, random) : undefined
      return random.percent(AGAIN) ? random.pick(all)(text, random) : text
    },
  })
  try {
    const { run } = await writeDocument(request, writer)
    return run.asked.filter((part) => part.endsWith('-again')).length
  } catch {
    return undefined
  }
}

describe('a corpus of broken answers', () => {
  it('is read with one question at most in 99 % of the cases', async () => {
    let [atOnce, once, never] = [0, 0, 0]
    const asked: string[] = []
    for (const breakage of Object.keys(breakages))
      for (const kind of kinds) {
        let questions = 0
        for (let seed = 1; seed <= EACH; seed += 1) {
          const result = await questionsFor(breakage, kind, seed * 31)
          if (result === undefined) never += 1
          else if (result === 0) atOnce += 1
          else once += 1
          questions += result === 0 ? 0 : 1
        }
        if (questions > 0) asked.push(`${breakage} (${kind}): ${questions} of ${EACH}`)
      }
    const cases = atOnce + once + never
    console.log(
      `${Object.keys(breakages).length} kinds of broken answers, ${cases} cases: ${((100 * atOnce) / cases).toFixed(1)} % read at once, ${((100 * once) / cases).toFixed(1)} % after one question, ${never} never.\nAsked about:\n${asked.join('\n')}`,
    )
    expect(never / cases).toBeLessThanOrEqual(0.01)
    expect(atOnce / cases).toBeGreaterThan(0.7)
  })
})

describe('a writer that breaks a third of its answers', () => {
  it('makes documents all the same, which intake takes without a word', async () => {
    const jobs = samples(60)
    const said: string[] = []
    let failed = 0
    let within = 0
    for (let seed = 0; seed < jobs; seed += 1) {
      const writer = simulatedWriter({ seed, broken: 33, breakages: Object.values(breakages) })
      try {
        const { document } = await writeDocument(
          documentRequest({ ...request, text: { ...request.text, length: 600 } }),
          writer,
        )
        said.push(...renderPost(document).problems)
        within += Math.abs(document.word_count - 600) <= 60 ? 1 : 0
        if (/\p{Surrogate}|(?!\n)\p{Cc}/u.test(textIn(document)))
          said.push('a character that cannot be shown')
      } catch (error) {
        failed += 1
        expect(error).toMatchObject({ reason: 'INVALID_OUTPUT', of: 'job' })
      }
    }
    console.log(
      `${jobs} jobs of a writer that breaks a third of its answers: ${failed} failed, ${within} within ±10 %`,
    )
    expect(said).toEqual([])
    expect(failed).toBeLessThanOrEqual(jobs * 0.2)
  })
})

const textIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null
      ? Object.values(value).map(textIn).join('\n')
      : ''
