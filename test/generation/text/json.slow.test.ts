import { describe, expect, it } from 'vitest'
import { parseQueries } from '../../../src/generation/pipeline/research/search.ts'
import { findJson } from '../../../src/generation/pipeline/text/ask-model.ts'
import { growth, NOT_LINEAR } from '../../support/growth.ts'

/** What a repair looks for the end of, to the end of the answer, from each place where it stands. */
const baits = ['/a', 'a/', 'a\n', '1 ', '-1.5\t', 'true ', 'None ']

describe('JSON in an answer', () => {
  it.each(baits)('is looked for in time that grows with the answer: %j', (bait) => {
    const make = (times: number) => `{"queries":[${bait.repeat(times)}`
    expect(growth((answer) => [...findJson(answer)], make, 2_000)).toBeLessThan(NOT_LINEAR)
    expect(growth(parseQueries, make, 2_000)).toBeLessThan(NOT_LINEAR)
  })

  it('is repaired where a model has left it unfinished, or wrapped it up', () => {
    expect(parseQueries('Here:\n```json\n{"queries": [“tides”, \'moon\',\n```')).toEqual(['tides', 'moon'])
    expect(parseQueries('<think>{"queries":["no"]}</think>{"queries":["tides"]}')).toEqual(['tides'])
    expect(parseQueries('I cannot do that.')).toEqual([])
  })
})
