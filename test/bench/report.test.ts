import { describe, expect, test } from 'vitest'
import type { Figure } from '../../bench/benchmark.ts'
import { markdownTable, replaceSection } from '../../bench/report.ts'
import { compare, interleave, percentile } from '../../bench/support/rounds.ts'

const rate: Figure = {
  figure: 'posts made',
  unit: 'perSecond',
  measured: 1_234.5,
  baseline: 1_400,
  ratio: 0.8818,
  target: { ratio: 'at least', limit: 0.9 },
}

describe('the table', () => {
  test('says that a ratio below its target is missed', () => {
    expect(markdownTable([rate])).toContain(
      '| posts made | 1,235 /s | 1,400 /s | 0.88 | ratio at least 0.9 | no |',
    )
  })

  test('holds a measured value without a baseline against its own limit', () => {
    const latency = { ...rate, baseline: null, ratio: null, unit: 'milliseconds', measured: 49.96 } as const
    expect(markdownTable([{ ...latency, target: { measured: 'below', limit: 50 } }])).toContain(
      '| posts made | 50 ms | — | — | below 50 ms | yes |',
    )
  })

  test('gives a count without a unit', () => {
    const count = { ...rate, unit: 'count', measured: 15, baseline: 14, ratio: 1.07, target: null } as const
    expect(markdownTable([count])).toContain('| posts made | 15 | 14 | 1.07 | — | — |')
  })
})

describe('a saved section', () => {
  test('is rewritten between its marks alone', () => {
    const text = 'a\n<!-- bench:x -->\nold\n<!-- /bench:x -->\nz'
    expect(replaceSection(text, 'x', 'new')).toBe('a\n<!-- bench:x -->\nnew\n<!-- /bench:x -->\nz')
  })

  test('without its marks is refused by name', () => {
    expect(() => replaceSection('no marks', 'x', 'new')).toThrow('<!-- bench:x -->')
  })
})

describe('the statistics', () => {
  test('take the nearest rank as a percentile', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n)
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]).toEqual([50, 99, 100])
  })

  test('begin each round with the next of what is measured in turn', async () => {
    const order: string[] = []
    const note = (name: string) => async () => order.push(name)
    const taken = await interleave(2, { a: note('a'), b: note('b'), c: note('c') })
    expect(order.join('')).toBe('abcbca')
    expect(taken).toEqual({ a: [1, 6], b: [2, 4], c: [3, 5] })
  })

  test('take the ratio round by round, so that a slow round of both is no difference', async () => {
    const speeds = { baseline: [100, 10, 100], subject: [80, 8, 80] }
    const next = (of: number[]) => async () => of.shift() as number
    const compared = await compare(3, next(speeds.baseline), next(speeds.subject))
    expect(compared.ratio).toBeCloseTo(0.8)
  })
})
