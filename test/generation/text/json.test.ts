import { describe, expect, it } from 'vitest'
import { parseQueries } from '../../../src/generation/pipeline/research/search.ts'

describe('JSON in an answer', () => {
  it('is repaired where a model has left it unfinished, or wrapped it up', () => {
    expect(parseQueries('Here:\n```json\n{"queries": [“tides”, \'moon\',\n```')).toEqual(['tides', 'moon'])
    expect(parseQueries('<think>{"queries":["no"]}</think>{"queries":["tides"]}')).toEqual(['tides'])
    expect(parseQueries('I cannot do that.')).toEqual([])
  })
})
