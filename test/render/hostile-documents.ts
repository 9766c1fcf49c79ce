/*
 * Reads and renders documents that are small on the wire and large when made, in a process with little memory of its own
 * (amplification.slow.test.ts), and prints what became of each: the refusal's code, or `made`.
 */

import { normaliseDocument } from '../../src/blocks/read.ts'
import { LimitError } from '../../src/contract/limits.ts'
import { findLimitViolationInBody } from '../../src/contract/payload.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { assertMarkupWithinLimit, renderDocument } from '../../src/render/render.ts'

const many = (times: number, json: string): string => Array(times).fill(json).join(',')
const deep = (depth: number, open: string, inside: string, close: string): string =>
  open.repeat(depth) + inside + close.repeat(depth)

/** Blocks, as JSON. */
const wire: Record<string, string> = {
  'a table of 49 million cells': `{"type":"table","headers":[${many(7_000, '""')}],"rows":[${many(7_000, '{}')}]}`,
  'a thousand tables as large as one may be': many(
    1_000,
    `{"type":"table","headers":[${many(223, '""')}],"rows":[${many(223, '{}')}]}`,
  ),
  'ten megabytes of empty objects': many(3_300_000, '{}'),
  'ten megabytes of numbers': many(5_000_000, '7'),
  'lists in lists': deep(5_000, '{"type":"list","items":[', '"x"', ']}'),
  'arrays in arrays': deep(500_000, '[', '', ']'),
  'formats in formats, with code at each level': many(
    100,
    deep(200, '{"code":true,"bold":true,"text":', '"x"', '}'),
  ),
  'types of a million characters': many(
    3,
    `{"type":"${'x'.repeat(1_000_000)}","content":[${many(50_000, '{"type":"y","z":1}')}]}`,
  ),
  'a quote of a million paragraphs': `{"type":"quote","text":"${'x\\n\\n'.repeat(1_000_000)}"}`,
  'two million brackets': `"${'['.repeat(2_000_000)}"`,
  'two million quotation marks in alternative text': `{"type":"image","url":"https://a.example/a.png","alt":"${'\\"'.repeat(2_000_000)}"}`,
  'links that are all said to be unsafe': many(
    50_000,
    '{"type":"paragraph","content":[{"type":"link","url":"javascript:x","text":"x"}]}',
  ),
  'half a million links': `{"type":"paragraph","content":[${many(120_000, '{"url":"//a","text":"x"}')}]}`,
}

const settings = renderSettingsSchema.parse({ outside_links_in_new_tab: true })

const outcome = (work: () => void): string => {
  try {
    work()
    return 'made'
  } catch (error) {
    if (error instanceof LimitError) return error.code
    throw error
  }
}

const outcomes: Record<string, string> = {}
for (const [name, blocks] of Object.entries(wire)) {
  const body = Buffer.from(`{"title":"T","content":{"content":[${blocks}]}}`)
  outcomes[name] = outcome(() => {
    const excess = findLimitViolationInBody(body)
    if (excess) throw excess
    const normalised = normaliseDocument(JSON.parse(body.toString('utf8')))
    assertMarkupWithinLimit(normalised)
    for (const format of ['block', 'classic'] as const)
      renderDocument(normalised.document, { format, media: new Map(), settings })
  })
}
process.stdout.write(JSON.stringify(outcomes))
