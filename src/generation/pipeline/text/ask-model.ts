import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import type { GenerationStep } from '../../../contract/generation/results.ts'
import { toIssues } from '../../../contract/issues.ts'
import { excerpt } from '../../../lib/text.ts'
import { jobFailure } from '../../failure.ts'
import type { JobRun } from '../../jobs/job-run.ts'
import { stripReasoning } from '../../providers/reasoning.ts'
import type { TextProvider, TextRequest, WrittenText } from '../../providers/types.ts'
import { type AskPart, withNextProvider } from '../next-provider.ts'

/** Characters of an answer, beyond which it is not looked at: fifteen times the longest that is asked for. */
const MAX_ANSWER_LENGTH = 100_000

/** Objects and arrays inside each other: what repairs goes into each of them. */
const MAX_JSON_DEPTH = 40

/** Where a repair may look through the rest of a piece, or copy what it has so far. */
const REPAIR_MARKS = /["'“”‘’`´/\\[\]{}\n\r]|(?:\d|true|false|null|True|False|None)\s/g

/** Marks in a piece that is repaired, times its characters: so many steps it may take. The longest answers take a half. */
const MAX_REPAIR_STEPS = 200_000_000

/** Places at which an object is looked for: prose has few brackets. */
const MAX_STARTS = 12

const controlCharacters = /(?![\n\r\t])\p{Cc}/gu

interface FoundJson {
  value: unknown
  /** Whether it ends before the answer does. */
  whole: boolean
}

/** The JSON values in an answer, in its order, each repaired: what begins at a bracket, and all from the first to the last. */
function findJson(answer: string): FoundJson[] {
  const text = stripReasoning(answer)
    .replace(controlCharacters, '')
    .replace(/```\s{0,9}$/, '')
  if (text.length > MAX_ANSWER_LENGTH) return []
  const first = text.search(/[{[]/)
  // A quote that was not escaped leads the scan astray.
  const last = 1 + Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  const pieces = new Set(first < last ? [text.slice(first, last)] : [])
  for (let from = first, next = first; next !== -1 && pieces.size <= MAX_STARTS; from += next) {
    const { end } = scan(text, from)
    pieces.add(text.slice(from, end))
    next = text.slice(end).search(/[{[]/)
    from = end
  }
  return [...pieces].flatMap((piece) => {
    const { depth, whole } = scan(piece, 0)
    const value = depth > MAX_JSON_DEPTH ? undefined : parseOrRepair(piece)
    return value === undefined ? [] : [{ value, whole }]
  })
}

/** Of several values that fit the last, since drafts come before it. @param loosen into the schema's shape */
export function readJson<Answer>(
  answer: string,
  schema: z.ZodType<Answer>,
  { loosen = () => undefined, unusable = () => undefined }: Partial<ModelQuestion<Answer>> = {},
): { answer?: Answer; whole: boolean; first: unknown; useless?: string | undefined } {
  const found = findJson(answer)
  const first = found[0]?.value
  let useless: string | undefined
  for (const shape of [(value: unknown) => value, loosen])
    for (const { value, whole } of found.toReversed()) {
      const { success, data } = schema.safeParse(shape(value))
      if (!success) continue
      useless = unusable(data)
      if (useless === undefined) return { answer: data, whole, first }
    }
  return { whole: false, first, useless }
}

/** Where what begins at `from` ends, how deep it goes, and whether it ends at all. */
function scan(text: string, from: number): { end: number; depth: number; whole: boolean } {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (quoted && character === '\\') at += 1
    else if (character === '"') quoted = !quoted
    else if (!quoted && (character === '{' || character === '[')) depth += 1
    else if (!quoted && (character === '}' || character === ']')) depth -= 1
    deepest = Math.max(deepest, depth)
    if (depth === 0 && !quoted) return { end: at + 1, depth: deepest, whole: true }
  }
  return { end: text.length, depth: deepest, whole: false }
}

function parseOrRepair(piece: string): object | undefined {
  const mayBeRepaired = (piece.match(REPAIR_MARKS)?.length ?? 0) * piece.length <= MAX_REPAIR_STEPS
  const readers = mayBeRepaired ? [(text: string) => text, jsonrepair] : [(text: string) => text]
  for (const read of readers) {
    try {
      const value: unknown = JSON.parse(read(piece))
      if (typeof value === 'object' && value !== null) return value
    } catch {
      // No JSON this way: the other way is tried, then the next piece.
    }
  }
  return undefined
}

interface ModelQuestion<Answer> {
  step?: GenerationStep
  /** The part of the step: the same in every attempt. */
  part: string
  /** What the schema is called: `outline`, `section`. */
  name: string
  system: string
  /** The question itself, as data: what a client or a page says in it is no instruction. */
  asked: object
  schema: z.ZodType<Answer>
  loosen?: (json: unknown) => unknown
  /** Why an answer of this shape cannot be used; undefined where it can. */
  unusable?: (answer: Answer) => string | undefined
  /** Whether what was cut off is asked for once more, though its beginning can be used. */
  isWholeNeeded?: true
  /** What is wrong with an answer that could be used all the same. */
  complaints?: (answer: Answer) => string[]
}

interface ModelAnswer<Answer> {
  answer: Answer
  whole: boolean
}

type ReadAnswer<Answer> = { read?: ModelAnswer<Answer>; wrong: string[] }

type RequestedText = WrittenText & { provider: TextProvider }

/** The warning of a text that stands without a revision that failed. */
export const LEFT_UNREVISED = { code: 'text_not_revised', what: 'A revision of the text' } as const

/** Characters of an answer that go back with what is wrong with it. */
const MAX_QUOTED_ANSWER = 20_000
const MAX_NAMED_ISSUES = 10

/** Asks a model, once more with the problems. No token limit: some models spend tokens on thoughts, others refuse one. */
export const askModel = <Answer>(
  run: JobRun,
  candidates: readonly TextProvider[],
  question: ModelQuestion<Answer>,
): Promise<ModelAnswer<Answer>> =>
  withNextProvider(
    run,
    { step: question.step ?? 'generating', name: question.part },
    candidates,
    (ask, part) => askTwice(run, ask, part, question),
  )

async function askTwice<Answer>(
  run: JobRun,
  ask: AskPart<TextProvider>,
  part: string,
  question: ModelQuestion<Answer>,
): Promise<ModelAnswer<Answer>> {
  const { step = 'generating', name, system, asked, schema } = question
  const request: TextRequest = {
    system,
    messages: [{ role: 'user', content: asQuestion(asked) }],
    schema: { name, json: jsonSchemaOf(schema) },
  }
  const first = await requestText(ask, request)
  const { read: usable, wrong } = parseAnswer(first, question)
  if (usable !== undefined && wrong.length === 0) return usable
  const messages: TextRequest['messages'] = [
    ...request.messages,
    // Some servers refuse a message of nothing.
    { role: 'assistant', content: excerpt(first.text, MAX_QUOTED_ANSWER).trim() || '(nothing)' },
    { role: 'user', content: asQuestion({ wrong_with_this_answer: wrong, wanted: WANTED_AGAIN }) },
  ]
  const askAgain = () => requestText(ask, { ...request, messages }, '-again')
  if (usable !== undefined) {
    const again = { step, name: `${part}-again` }
    const corrected = await run.makeOrLeaveOut(again, LEFT_UNREVISED, askAgain)
    const second = corrected && parseAnswer(corrected, question)
    return second?.read !== undefined && second.wrong.length < wrong.length ? second.read : usable
  }
  const last = await askAgain()
  const second = parseAnswer(last, question)
  if (second.read !== undefined) return second.read
  const unread = second.wrong.join('; ')
  throw jobFailure(
    'INVALID_OUTPUT',
    `The language model was asked twice for a part of the document and gave no answer that can be read: ` +
      `${last.provider.redact?.(unread) ?? unread}. Request the document again, or with another model (docs/generation.md).`,
  )
}

async function requestText(
  ask: AskPart<TextProvider>,
  request: TextRequest,
  suffix?: string,
): Promise<RequestedText> {
  const { provider, answer } = await ask((provider, context) => provider.write(request, context), suffix)
  const text = provider.read(answer)
  if (text.finish !== 'refused') return { ...text, provider }
  throw jobFailure(
    'CONTENT_MODERATION',
    `${answer.provider} declined to write this document. Change the prompt and request it again.`,
  )
}

function parseAnswer<Answer>(
  { text, finish }: WrittenText,
  question: ModelQuestion<Answer>,
): ReadAnswer<Answer> {
  const { schema, isWholeNeeded, complaints = () => [] } = question
  const cut = finish === 'length' ? ['it was cut off before its end'] : []
  const { answer, whole, first, useless } = readJson(text, schema, question)
  if (answer === undefined)
    return { wrong: useless === undefined ? [...cut, ...describeIssues(first, schema, text)] : [useless] }
  const wrong = [...(isWholeNeeded ? cut : []), ...complaints(answer)].slice(0, MAX_NAMED_ISSUES)
  return { read: { answer, whole: whole && finish !== 'length' }, wrong }
}

function describeIssues(value: unknown, schema: z.ZodType, text: string): string[] {
  if (value === undefined) return [`there is no JSON in it, but ${JSON.stringify(excerpt(text.trim(), 80))}`]
  const { error } = schema.safeParse(value)
  const issues = error === undefined ? [] : toIssues(error, value)
  return issues.map(({ path, message }) => `${path || 'the answer'}: ${message}`).slice(0, MAX_NAMED_ISSUES)
}

const WANTED_AGAIN = 'the whole answer once more, corrected'

const asQuestion = (members: object): string => JSON.stringify(members, undefined, 1)

/** What strict providers refuse in a schema; it is held where the answer is read. */
const unsupportedKeywords = ['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'default'] as const

/** As providers take it: every member required, no others, and no bounds. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of unsupportedKeywords) delete jsonSchema[name]
      if (jsonSchema.type !== 'object') return
      jsonSchema.additionalProperties = false
      jsonSchema.required = Object.keys(jsonSchema.properties ?? {})
    },
  })
  return json
}

/** The first list of texts in an answer, or of objects that hold one each. */
export function coerceTexts(json: unknown): unknown {
  const list = Array.isArray(json) ? json : Object.values(json as object).find(Array.isArray)
  return list?.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? Object.values(entry).find((value) => typeof value === 'string')
      : entry,
  )
}
