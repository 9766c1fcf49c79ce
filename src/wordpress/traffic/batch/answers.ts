import { z } from 'zod'
import type { Unjudged } from '../../client/index.ts'
import type { Member } from './member.ts'
import { areMisplaced } from './misplaced.ts'

/** PHP's empty array is a list in JSON. */
const headersSchema = z
  .record(z.string(), z.unknown())
  .or(z.array(z.unknown()).transform((): Record<string, unknown> => ({})))
  .catch({})

const answerSchema = z.object({ status: z.int().min(100).max(599), headers: headersSchema, body: z.json() })

/** `failed` says that none was carried out, be it for one of them alone. */
const togetherSchema = z.object({ responses: z.array(z.unknown()), failed: z.undefined().optional() })

const MULTI_STATUS = 207

/**
 * The answer of each member, null for one that has none; or null for all of them where this is no answer to the batch:
 * another status, more or fewer than were asked for, or answers that belong to others.
 */
export function answersIn(answered: Unjudged, members: Member[]): (Unjudged | null)[] | null {
  if (answered.status !== MULTI_STATUS || !answered.json.found) return null
  const together = togetherSchema.safeParse(answered.json.value)
  if (!together.success || together.data.responses.length !== members.length) return null
  const answers = together.data.responses.map((response) => answerOf(response, answered))
  return areMisplaced(members, answers) ? null : answers
}

function answerOf(response: unknown, { headers: shared }: Unjudged): Unjudged | null {
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
