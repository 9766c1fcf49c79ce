import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import { toIssues } from '../../../contract/issues.ts'
import { excerpt } from '../../../lib/text.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/job.ts'
import {
  findAnsweringProvider,
  type TextProvider,
  type TextRequest,
  type WrittenText,
} from '../../providers/types.ts'

interface FoundJson {
  value: unknown
  whole: boolean
}

/** Characters of an answer, beyond which it is not looked at: fifteen times the longest that is asked for. */
const MAX_ANSWER_LENGTH = 100_000

/** Objects and arrays inside each other: what repairs goes into each of them. */
const MAX_JSON_DEPTH = 40

/**
 * Where a repair may look through the rest of a piece, or copy what it has so far: as it does to put a comma between numbers and
 * words of JSON.
 */
const REPAIR_MARKS = /["'“”‘’`´/\\[\]{}\n\r]|(?:\d|true|false|null|True|False|None)\s/g

/** Marks in a piece that is repaired, times its characters: so many steps it may take. The longest answers take a half. */
const MAX_REPAIR_STEPS = 200_000_000

/** Places at which an object is looked for: prose has few brackets. */
const MAX_STARTS = 12

/** Thoughts that some models write before their answer. */
const END_OF_THOUGHTS = '</think>'

/** Control characters that JSON has no place for. */
const controlCharacters = /(?![\n\r\t])\p{Cc}/gu

/**
 * Candidate JSON values of an answer, likeliest first: the whole, its fences, and what begins at a
 * bracket, each as it is or repaired (prose, trailing commas, single quotes, comments, line breaks,
 * a missing end).
 */
export function* findJson(answer: string): Generator<FoundJson> {
  const thought = answer.lastIndexOf(END_OF_THOUGHTS)
  const text = (thought === -1 ? answer : answer.slice(thought + END_OF_THOUGHTS.length)).replace(
    controlCharacters,
    '',
  )
  if (text.length > MAX_ANSWER_LENGTH) return
  for (const piece of new Set(candidatePieces(text))) {
    const { depth, whole } = scan(piece, 0)
    if (depth > MAX_JSON_DEPTH) continue
    const value = parseOrRepair(piece)
    if (value !== undefined) yield { value, whole }
  }
}

function* candidatePieces(text: string): Generator<string> {
  const trimmed = text.trim()
  if (/^[{[]/.test(trimmed)) yield trimmed
  for (const fenced of text.split('```').filter((_, index) => index % 2 === 1)) {
    const from = fenced.search(/[{[]/)
    if (from !== -1) yield fenced.slice(from).trim()
  }
  let from = text.search(/[{[]/)
  const first = from
  for (let times = 0; times < MAX_STARTS && from !== -1; times += 1) {
    const { end } = scan(text, from)
    yield text.slice(from, end)
    const next = text.slice(end).search(/[{[]/)
    from = next === -1 ? -1 : end + next
  }
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  // A quote that was not escaped leads the scan astray.
  if (first !== -1 && last > first) yield text.slice(first, last + 1)
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

const identity = (text: string): string => text

/** As it is, or repaired; undefined where neither is JSON of an object or an array. */
function parseOrRepair(piece: string): unknown {
  const mayBeRepaired = (piece.match(REPAIR_MARKS)?.length ?? 0) * piece.length <= MAX_REPAIR_STEPS
  for (const read of mayBeRepaired ? [identity, jsonrepair] : [identity]) {
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
  /** The part of the step: the same in every attempt. */
  part: string
  /** What the schema is called, and what people hear of where it cannot be read: `outline`, `section`. */
  name: string
  system: string
  /** The question itself, as data: what a client or a page says in it is no instruction. */
  asked: object
  schema: z.ZodType<Answer>
  /** The same answer in another shape, made into this one; undefined where it is none. */
  loosen?: (json: unknown) => unknown
  /** Why an answer of this shape cannot be used; undefined where it can. */
  unusable?: (answer: Answer) => string | undefined
  /** What is wrong with an answer that could be used all the same. */
  complaints?: (answer: Answer) => string[]
}

interface ModelAnswer<Answer> {
  answer: Answer
  whole: boolean
}

type ReadAnswer<Answer> = { read?: ModelAnswer<Answer>; wrong: string[] }

/** Characters of an answer that go back with what is wrong with it. */
const MAX_QUOTED_ANSWER = 20_000
/** What is wrong with it, at most. */
const MAX_NAMED_ISSUES = 10

/**
 * Asks a language model, and once more with the problems where the answer is unusable. Sets no
 * token limit: some models spend tokens on thoughts, others refuse a number beyond theirs.
 *
 * @throws GenerationError `INVALID_OUTPUT` after the second answer, `CONTENT_MODERATION` where
 * declined
 */
export async function askModel<Answer>(
  run: JobRun,
  candidates: readonly TextProvider[],
  question: ModelQuestion<Answer>,
): Promise<ModelAnswer<Answer>> {
  const { part, name, system, asked, schema } = question
  const request: TextRequest = {
    system,
    messages: [{ role: 'user', content: JSON.stringify(asked, undefined, 1) }],
    schema: { name, json: jsonSchemaOf(schema) },
  }
  const first = await requestAnswer(run, candidates, part, request)
  const reading = parseAnswer(first, question)
  if (reading.read !== undefined && reading.wrong.length === 0) return reading.read
  const messages: TextRequest['messages'] = [
    ...request.messages,
    // Some servers refuse a message of nothing.
    { role: 'assistant', content: excerpt(first.text, MAX_QUOTED_ANSWER).trim() || '(nothing)' },
    { role: 'user', content: retryMessage(reading.wrong) },
  ]
  const second = parseAnswer(
    await requestAnswer(run, candidates, `${part}-again`, { ...request, messages }),
    question,
  )
  const better = second.read !== undefined && (reading.read === undefined || hasFewerIssues(second, reading))
  const read = better ? second.read : reading.read
  if (read !== undefined) return read
  throw new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message:
      `The language model was asked twice for the ${name} of the document and gave no answer that can be read: ` +
      `${second.wrong.join('; ')}. Request the document again, or with another model (docs/generation.md).`,
  })
}

const hasFewerIssues = (one: ReadAnswer<unknown>, other: ReadAnswer<unknown>): boolean =>
  one.wrong.length < other.wrong.length

async function requestAnswer(
  run: JobRun,
  candidates: readonly TextProvider[],
  part: string,
  request: TextRequest,
): Promise<WrittenText> {
  const answer = await run.answer({ step: 'generating', name: part }, candidates, (provider, context) =>
    provider.write(request, context),
  )
  const text = findAnsweringProvider(candidates, answer).read(answer)
  if (text.finish !== 'refused') return text
  throw new GenerationError({
    reason: 'CONTENT_MODERATION',
    of: 'job',
    message: `${answer.provider} declined to write this document. Change the prompt and request it again.`,
  })
}

/** The first value in the answer that the schema takes as it is, or else when it is made into its shape. */
function parseAnswer<Answer>(
  { text, finish }: WrittenText,
  question: ModelQuestion<Answer>,
): ReadAnswer<Answer> {
  const { schema, loosen = () => undefined, unusable = () => undefined, complaints = () => [] } = question
  const found = [...findJson(text)]
  let useless: string | undefined
  for (const shaped of [(json: unknown) => json, loosen])
    for (const { value, whole } of found) {
      const result = schema.safeParse(shaped(value))
      if (!result.success) continue
      const answer = result.data
      useless = unusable(answer)
      if (useless !== undefined) continue
      const wrong = complaints(answer).slice(0, MAX_NAMED_ISSUES)
      return { read: { answer, whole: whole && finish !== 'length' }, wrong }
    }
  return { wrong: useless === undefined ? describeIssues(found[0]?.value, schema, text, finish) : [useless] }
}

function describeIssues(value: unknown, schema: z.ZodType, text: string, finish: string): string[] {
  if (value === undefined) return [`there is no JSON in it, but ${JSON.stringify(excerpt(text.trim(), 80))}`]
  const { error } = schema.safeParse(value)
  const issues = error === undefined ? [] : toIssues(error, value)
  const cut = finish === 'length' ? ['it was cut off before its end'] : []
  return [...cut, ...issues.map(({ path, message }) => `${path || 'the answer'}: ${message}`)].slice(
    0,
    MAX_NAMED_ISSUES,
  )
}

const retryMessage = (wrong: readonly string[]): string =>
  JSON.stringify(
    { wrong_with_this_answer: wrong, wanted: 'the whole answer once more, corrected' },
    undefined,
    1,
  )

/** What strict providers refuse in a schema; it is held where the answer is read. */
const unsupportedKeywords = ['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'] as const

/** Each schema is written out once. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>()

/** As providers take it: every member required, no others, and no bounds. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const known = jsonSchemas.get(schema)
  if (known !== undefined) return known
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of unsupportedKeywords) delete jsonSchema[name]
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false
    },
  })
  jsonSchemas.set(schema, json)
  return json
}
