import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readJson } from '../../../src/generation/pipeline/text/ask-model.ts'

const schema = z.object({ queries: z.array(z.string()) })

const parseQueries = (answer: string) => readJson(answer, schema).answer?.queries

describe('JSON in an answer', () => {
  it('is repaired where a model has left it unfinished, or wrapped it up', () => {
    expect(parseQueries('Here:\n```json\n{"queries": [“tides”, \'moon\',\n```')).toEqual(['tides', 'moon'])
    expect(parseQueries('<think>{"queries":["no"]}</think>{"queries":["tides"]}')).toEqual(['tides'])
    expect(parseQueries('I cannot do that.')).toBeUndefined()
  })

  it.each([
    ['in prose', (draft: string, last: string) => `First: ${draft}\nBetter: ${last}\nDone {as asked}.`],
    [
      'in fences',
      (draft: string, last: string) => `\`\`\`json\n${draft}\n\`\`\`\nNo:\n\`\`\`json\n${last}\n\`\`\``,
    ],
    ['one below the other', (draft: string, last: string) => `${draft}\n\n${last}`],
    [
      'with the last one to repair',
      (draft: string, last: string) => `${draft}\nBetter: ${last.slice(0, -1)},}`,
    ],
  ])('is the last one that fits, of several %s', (_, written) => {
    const answer = written('{"queries": ["draft", "of it"]}', '{"queries": ["tides"]}')
    expect(parseQueries(answer)).toEqual(['tides'])
  })
})
