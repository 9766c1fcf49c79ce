import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import type { PreparedRequest, UnclassifiedAnswer } from '../client/client.ts'
import { wordPressFailure } from '../failures/classify.ts'
import type { BatchMember, QueuedRequest } from './queued-request.ts'

/** PHP's empty array is a list in JSON. */
const headersSchema = z
  .record(z.string(), z.unknown())
  .or(z.array(z.unknown()).transform((): Record<string, unknown> => ({})))
  .catch({})

const answerSchema = z.object({
  status: z.int().min(100).max(599),
  headers: headersSchema,
  // A part of parsed JSON, so any value will do. Whoever asked reads it with a schema.
  body: z.unknown().nonoptional(),
})

/** `failed` says that none was carried out, be it for one of them alone. */
const batchResponseSchema = z.object({ responses: z.array(z.unknown()), failed: z.undefined().optional() })

const MULTI_STATUS = 207

/** The answer of each member, or null; null for all where this is no answer to the batch. */
export function splitBatchAnswers(
  answered: UnclassifiedAnswer,
  members: BatchMember[],
): (UnclassifiedAnswer | null)[] | null {
  if (answered.status !== MULTI_STATUS || !answered.json.found) return null
  const together = batchResponseSchema.safeParse(answered.json.value)
  if (!together.success || together.data.responses.length !== members.length) return null
  const answers = together.data.responses.map((response) => memberAnswer(response, answered))
  return areAnswersMisplaced(members, answers) ? null : answers
}

function memberAnswer(response: unknown, { headers: shared }: UnclassifiedAnswer): UnclassifiedAnswer | null {
  const { data } = answerSchema.safeParse(response)
  if (data === undefined) return null
  const own = Object.entries(data.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' || typeof value === 'number' ? [[name.toLowerCase(), String(value)]] : [],
  )
  return {
    status: data.status,
    // When it was answered is said once for all.
    headers: { ...(shared.date === undefined ? {} : { date: shared.date }), ...Object.fromEntries(own) },
    json: { found: true, value: data.body },
    get body() {
      return Buffer.from(JSON.stringify(data.body))
    },
  }
}

/** Whether answers of a batch can be seen to belong to others, as caches and proxies do; then none is believed. */
export function areAnswersMisplaced(members: BatchMember[], answers: (UnclassifiedAnswer | null)[]): boolean {
  const taken = new Set(members.flatMap(({ base, id }) => (id === null ? [] : [`${base} ${id}`])))
  const asked = (field: IdentifyingField) => new Set(members.map(({ body }) => textOf(body, field)))
  const names = { slug: asked('slug'), name: asked('name') }
  return members.some((member, at) => {
    const { status, json } = answers[at] ?? { status: 0, json: { found: false } as const }
    if (status < 200 || status > 299 || !json.found) return false
    const id = idOf(json.value)
    if (member.id !== null) return id !== null && id !== member.id
    if (member.method !== 'POST') return false
    const key = `${member.base} ${id}`
    if (id !== null && taken.has(key)) return true
    taken.add(key)
    return (['slug', 'name'] as const).some((field) => {
      const answer = textOf(json.value, field)
      return answer !== textOf(member.body, field) && answer !== undefined && names[field].has(answer)
    })
  })
}

type IdentifyingField = 'slug' | 'name'

function textOf(value: unknown, field: IdentifyingField): string | undefined {
  if (typeof value !== 'object' || value === null || !(field in value)) return undefined
  const text = (value as Record<IdentifyingField, unknown>)[field]
  return typeof text === 'string' ? text : undefined
}

/** Of a post or term; what was deleted is named as `previous`. */
function idOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null
  if ('id' in value && typeof value.id === 'number') return value.id
  return 'previous' in value ? idOf(value.previous) : null
}

/** An answer that is none to the batch: more than the server takes; somebody dislikes batches; else as a single request fails. */
type BatchVerdict = 'too_big' | 'refused' | 'failed'

/** What is meant by the failure that an answer to a batch, or to a question about batches, would be of a single request. */
export function batchVerdict({ code, details }: GalleyError): BatchVerdict {
  const { status } = statusSchema.parse(details)
  if (status === 413) return 'too_big'
  if (status === 408 || status === 429) return 'failed'
  if (status >= 400 && status < 500) return 'refused'
  if (code.startsWith('firewall_') || code === 'cloudflare_challenge') return 'refused'
  return code === 'answer_unexpected' ? 'refused' : 'failed'
}

/** 0 where there was no answer. */
const statusSchema = z.object({ status: z.number().catch(0) }).catch({ status: 0 })

/** The failure of one member, as if it had been answered so by itself. */
export function memberFailure({ outgoing }: QueuedRequest, answered: UnclassifiedAnswer): GalleyError {
  try {
    outgoing.judge(answered, outgoing.request)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    // A plugin that refused one of them by ending the request: nobody knows which, and each is to be asked for alone.
    return error.code === 'request_refused' && answered.status >= 500 ? missingAnswerFailure(outgoing) : error
  }
  return missingAnswerFailure(outgoing)
}

/** The failure of a member that a batch brought no answer of its own: it may have been carried out. */
export function missingAnswerFailure({ site, request }: PreparedRequest): GalleyError {
  const { method = 'GET', doing } = request
  const found = 'no answer to this request among those to the batch that it was in'
  return wordPressFailure('answer_unexpected', { site: site.name, method, doing }, { found })
}
