import { z } from 'zod'
import { issuesOf } from '../../../contract/issues.ts'
import { excerpt } from '../../../text.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { TextProvider, TextRequest, WrittenText } from '../../providers/types.ts'
import { providerOfAnswer } from '../provider-of-answer.ts'
import { jsonIn } from './json.ts'

/** A question whose answer is JSON. */
export interface Question<Answer> {
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

/** An answer that was read. `whole`: it was not cut off. */
export interface Answered<Answer> {
  answer: Answer
  whole: boolean
}

type Reading<Answer> = { read?: Answered<Answer>; wrong: string[] }

/** Characters of an answer that go back with what is wrong with it. */
const SHOWN = 20_000
/** What is wrong with it, at most. */
const NAMED = 10

/**
 * Asks a language model, and once more where the answer cannot be read, with what is wrong with it. No limit is set to the
 * tokens: some models spend them on thoughts first, others refuse a number beyond theirs.
 *
 * @throws GenerationError `INVALID_OUTPUT` where the second answer cannot be read either, `CONTENT_MODERATION` where it is
 *   declined
 */
export async function ask<Answer>(
  run: JobRun,
  candidates: readonly TextProvider[],
  question: Question<Answer>,
): Promise<Answered<Answer>> {
  const { part, name, system, asked, schema } = question
  const request: TextRequest = {
    system,
    messages: [{ role: 'user', content: JSON.stringify(asked, undefined, 1) }],
    schema: { name, json: jsonSchemaOf(schema) },
  }
  const first = await written(run, candidates, part, request)
  const reading = readingOf(first, question)
  if (reading.read !== undefined && reading.wrong.length === 0) return reading.read
  const messages: TextRequest['messages'] = [
    ...request.messages,
    // Some servers refuse a message of nothing.
    { role: 'assistant', content: excerpt(first.text, SHOWN).trim() || '(nothing)' },
    { role: 'user', content: again(reading.wrong) },
  ]
  const second = readingOf(
    await written(run, candidates, `${part}-again`, { ...request, messages }),
    question,
  )
  const better = second.read !== undefined && (reading.read === undefined || fewer(second, reading))
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

const fewer = (one: Reading<unknown>, other: Reading<unknown>): boolean =>
  one.wrong.length < other.wrong.length

async function written(
  run: JobRun,
  candidates: readonly TextProvider[],
  part: string,
  request: TextRequest,
): Promise<WrittenText> {
  const answer = await run.answer({ step: 'generating', name: part }, candidates, (provider, context) =>
    provider.write(request, context),
  )
  const text = providerOfAnswer(candidates, answer).read(answer)
  if (text.finish !== 'refused') return text
  throw new GenerationError({
    reason: 'CONTENT_MODERATION',
    of: 'job',
    message: `${answer.provider} declined to write this document. Change the prompt and request it again.`,
  })
}

/** The first value in the answer that the schema takes as it is, or else when it is made into its shape. */
function readingOf<Answer>({ text, finish }: WrittenText, question: Question<Answer>): Reading<Answer> {
  const { schema, loosen = () => undefined, unusable = () => undefined, complaints = () => [] } = question
  const found = [...jsonIn(text)]
  let useless: string | undefined
  for (const shaped of [(json: unknown) => json, loosen])
    for (const { value, whole } of found) {
      const result = schema.safeParse(shaped(value))
      if (!result.success) continue
      const answer = result.data
      useless = unusable(answer)
      if (useless !== undefined) continue
      const wrong = complaints(answer).slice(0, NAMED)
      return { read: { answer, whole: whole && finish !== 'length' }, wrong }
    }
  return { wrong: useless === undefined ? whatIsWrong(found[0]?.value, schema, text, finish) : [useless] }
}

function whatIsWrong(value: unknown, schema: z.ZodType, text: string, finish: string): string[] {
  if (value === undefined) return [`there is no JSON in it, but ${JSON.stringify(excerpt(text.trim(), 80))}`]
  const { error } = schema.safeParse(value)
  const issues = error === undefined ? [] : issuesOf(error, value)
  const cut = finish === 'length' ? ['it was cut off before its end'] : []
  return [...cut, ...issues.map(({ path, message }) => `${path || 'the answer'}: ${message}`)].slice(0, NAMED)
}

const again = (wrong: readonly string[]): string =>
  JSON.stringify(
    { wrong_with_this_answer: wrong, wanted: 'the whole answer once more, corrected' },
    undefined,
    1,
  )

/** What strict providers refuse in a schema; it is held where the answer is read. */
const refused = ['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'] as const

/** Each schema is written out once. */
const writtenOut = new WeakMap<z.ZodType, Record<string, unknown>>()

/** As providers take it: every member required, no others, and no bounds. */
function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const known = writtenOut.get(schema)
  if (known !== undefined) return known
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of refused) delete jsonSchema[name]
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = false
    },
  })
  writtenOut.set(schema, json)
  return json
}
