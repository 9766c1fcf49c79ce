import { describe, expect, it } from 'vitest'
import { writeText } from '../../../src/generation/pipeline/text/write-text.ts'
import { documentRequest, memoryRun, onlyWriter } from '../../support/generation/documents.ts'
import { type Language, simulatedWriter } from '../../support/generation/writer.ts'
import { samples } from '../../support/random.ts'

/** Writers that keep to a length on average, write less or more of it, and miss by different factors. */
const writers = [
  { habit: 1, spread: 0.2 },
  { habit: 1, spread: 0.4 },
  { habit: 0.7, spread: 0.4 },
  { habit: 1.3, spread: 0.4 },
  { habit: 1, spread: 0.55 },
]

/** Of each writer. */
const jobsOf = (length: number): number => samples(length < 5_000 ? 40 : 20)

interface Measured {
  within: number
  jobs: number
  repairs: number[]
  furthest: number
}

async function measure(length: number, kind: 'article' | 'news', language: Language): Promise<Measured> {
  const prompts = {
    en: 'How tides work',
    de: 'Wie Gezeiten entstehen',
    ar: 'كيف يحدث المد والجزر',
    ja: '潮の満ち引きの仕組み',
    zh: '潮汐是如何形成的',
  }
  const measured: Measured = { within: 0, jobs: 0, repairs: [], furthest: 0 }
  for (const [at, habits] of writers.entries())
    for (let job = 0; job < jobsOf(length); job += 1) {
      const run = memoryRun(
        documentRequest({ prompt: prompts[language], content_type: kind, text: { length } }),
      )
      const writer = simulatedWriter({ seed: length * 1_000 + at * 100 + job, language, ...habits })
      const text = await writeText(run, { providers: onlyWriter({ text: writer }) }, [])
      const miss = Math.abs(text.length - length) / length
      measured.jobs += 1
      measured.within += miss <= 0.1 ? 1 : 0
      measured.furthest = Math.max(measured.furthest, miss)
      measured.repairs.push(run.asked.filter((part) => part.startsWith('length-')).length)
    }
  return measured
}

function say(what: string, { within, jobs, repairs, furthest }: Measured): void {
  const mean = repairs.reduce((all, one) => all + one, 0) / jobs
  console.log(
    `${what}: ${within} of ${jobs} within ±10 % (${((100 * within) / jobs).toFixed(1)} %), repairs ${mean.toFixed(2)} on average and ${Math.max(...repairs)} at most, furthest ${(100 * furthest).toFixed(0)} %`,
  )
}

describe('the length of a text, against a writer that misses by a log-normal factor', () => {
  it.each([
    [300, 'article', 'en'],
    [300, 'news', 'en'],
    [450, 'article', 'en'],
    [700, 'news', 'de'],
    [1_000, 'article', 'de'],
    [2_000, 'article', 'en'],
    [5_000, 'article', 'en'],
    [10_000, 'article', 'en'],
    [800, 'article', 'ar'],
    [1_000, 'article', 'ja'],
    [3_000, 'news', 'zh'],
  ] as const)(
    '%i (%s, %s) is within a tenth of it in 95 of 100 jobs, with two repairs at most',
    { timeout: 120_000 },
    async (length, kind, language) => {
      const measured = await measure(length, kind, language)
      say(`${length} ${kind} ${language}`, measured)
      expect(measured.within / measured.jobs).toBeGreaterThanOrEqual(0.95)
      expect(Math.max(...measured.repairs)).toBeLessThanOrEqual(2)
    },
  )

  it.each([100, 150, 200, 250])(
    '%i words, for which there is little room, are within it in most jobs',
    async (length) => {
      const measured = await measure(length, 'article', 'en')
      say(`${length} article en`, measured)
      expect(measured.within / measured.jobs).toBeGreaterThanOrEqual(0.8)
    },
  )
})
