import { setTimeout as wait } from 'node:timers/promises'
import { pages } from './pages.ts'
import type { Exchange, Fault, ProxiedRequest, Reply } from './types.ts'

/** The connection is reset before WordPress hears of the request. */
export const resetBefore: Fault = { name: 'reset before sending', apply: ({ reset }) => reset() }

/** WordPress carries the request out; its answer is lost. */
export const resetAfter: Fault = {
  name: 'reset after WordPress committed',
  async apply({ forward, reset }) {
    await forward()
    reset()
  },
}

/** WordPress never hears of the request, and nothing is answered until the client gives up. */
export const stallBefore: Fault = { name: 'stalled before WordPress', apply: () => undefined }

/** WordPress carries the request out, and nothing is answered until the client gives up. */
export const stallAfter: Fault = {
  name: 'stalled after WordPress committed',
  async apply({ forward }) {
    await forward()
  },
}

/** The answer comes, late. */
export const slow = (ms: number): Fault => ({
  name: `slow by ${ms} ms`,
  async apply({ forward, reply }) {
    const answer = await forward()
    await wait(ms)
    reply(answer)
  },
})

/** The answer breaks off in its middle, short of its declared length. */
export const truncate: Fault = {
  name: 'truncated',
  async apply({ forward, cut }) {
    const answer = await forward()
    cut(answer, Math.floor(answer.body.length / 2))
  },
}

/** Somebody else answers, and WordPress hears nothing. */
export const answer = (page: Reply, name = `${page.status} without effect`): Fault => ({
  name,
  apply: ({ reply }) => reply(page),
})

/** WordPress carries the request out, and somebody else answers. */
export const answerAfter = (page: Reply, name = `${page.status} with effect`): Fault => ({
  name,
  async apply({ forward, reply }) {
    await forward()
    reply(page)
  },
})

/** WordPress's own answer, changed on its way. */
export const alter = (name: string, change: (reply: Reply) => Reply): Fault => ({
  name,
  async apply({ forward, reply }) {
    reply(change(await forward()))
  },
})

/** The request reaches WordPress without these headers. */
export const withoutHeaders = (...names: string[]): Fault => ({
  name: `without ${names.join(', ')}`,
  async apply({ request, forward, reply }) {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !names.includes(name)),
    )
    reply(await forward({ headers }))
  },
})

/** The request reaches WordPress with these headers besides its own. */
export const withHeaders = (added: Record<string, string>): Fault => ({
  name: `with ${Object.keys(added).join(', ')}`,
  async apply({ request, forward, reply }) {
    reply(await forward({ headers: { ...request.headers, ...added } }))
  },
})

/** Text before and after the body, as PHP notices, byte order marks and cache comments are. */
export const wrapped = (name: string, before: string, after = ''): Fault =>
  alter(name, (reply) => ({
    ...reply,
    body: Buffer.concat([Buffer.from(before), reply.body, Buffer.from(after)]),
  }))

/** The request reaches WordPress twice, as through a proxy that lost the first answer and tries again. */
export const sentTwice: Fault = {
  name: 'sent twice',
  async apply({ forward, reply }) {
    await forward()
    reply(await forward())
  },
}

/** The connection is reset, and WordPress carries the request out so many milliseconds later all the same. */
export const lateEffect = (ms: number): Fault => ({
  name: `reset, and carried out ${ms} ms later`,
  async apply({ forward, reset }) {
    reset()
    await wait(ms)
    await forward()
  },
})

/** One request of a batch, as `POST /batch/v1` carries it. */
export interface BatchMember {
  method: string
  path: string
  body?: Record<string, unknown>
}

/** What WordPress says to one of them. */
export interface MemberAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** The requests that a batch carries; null for what is no batch. */
export function membersOf({ method, path, body }: ProxiedRequest): BatchMember[] | null {
  if (method !== 'POST' || path !== '/batch/v1') return null
  return (JSON.parse(body.toString('utf8')) as { requests: BatchMember[] }).requests
}

/** What {@link membersOf} found, of a request that is one. */
function batchOf({ request }: Exchange): BatchMember[] {
  const members = membersOf(request)
  if (members === null) throw new Error(`${request.method} ${request.path} is no batch`)
  return members
}

/** Of a batch, WordPress hears of these members alone. */
async function forwardOnly(exchange: Exchange, members: BatchMember[]): Promise<MemberAnswer[]> {
  if (members.length === 0) return []
  const batch = JSON.parse(exchange.request.body.toString('utf8'))
  const body = Buffer.from(JSON.stringify({ ...batch, requests: members }))
  const reply = await exchange.forward({ body })
  return JSON.parse(reply.body.toString('utf8')).responses
}

const multiStatus = (body: unknown, status = 207): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: Buffer.from(JSON.stringify(body)),
})

/** WordPress carries out so many of a batch's first requests; what becomes of the answer is another fault. */
export const partly = (name: string, first: (members: number) => number, then: Fault): Fault => ({
  name: `${name} carried out, then ${then.name}`,
  async apply(exchange) {
    const members = batchOf(exchange)
    await forwardOnly(exchange, members.slice(0, first(members.length)))
    await then.apply(exchange)
  },
})

/** WordPress carries the batch out; its answer is another one. */
export const batchAnswer = (
  name: string,
  change: (responses: MemberAnswer[]) => unknown,
  status = 207,
): Fault =>
  alter(name, ({ body }) => multiStatus(change(JSON.parse(body.toString('utf8')).responses), status))

/** As {@link batchAnswer}, and `responses` is all that is changed. */
export const memberAnswers = (name: string, change: (responses: MemberAnswer[]) => unknown[]): Fault =>
  batchAnswer(name, (responses) => ({ responses: change(responses) }))

/** One of a batch's requests never reaches the core of WordPress, where something else answers it; the others do. */
export const memberLost = (name: string, nth: (members: number) => number, own: MemberAnswer): Fault => ({
  name,
  async apply(exchange) {
    const members = batchOf(exchange)
    const at = nth(members.length)
    const responses = await forwardOnly(exchange, members.toSpliced(at, 1))
    exchange.reply(multiStatus({ responses: responses.toSpliced(at, 0, own) }))
  },
})

/** The batch fails before anything of it is carried out, as WordPress says it where every request has to be valid. */
export const batchInvalid: Fault = {
  name: 'failed validation',
  apply(exchange) {
    const responses = batchOf(exchange).map((_, at) =>
      at === 0 ? memberError(400, 'rest_invalid_param', 'Invalid parameter(s): slug') : null,
    )
    exchange.reply(multiStatus({ failed: 'validation', responses }))
  },
}

/** An error of one request as WordPress puts it into a batch's answer. */
export const memberError = (status: number, code: string, message: string): MemberAnswer => ({
  status,
  headers: {},
  body: { code, message, data: { status } },
})

/** PHP ends over whatever writes this text, in a batch after what came before it has been carried out. */
export const poisonous = (text: string): Fault => ({
  name: `ends over “${text}”`,
  async apply(exchange) {
    const members = membersOf(exchange.request)
    const at = members?.findIndex((member) => JSON.stringify(member).includes(text)) ?? -1
    if (members !== null && at >= 0) await forwardOnly(exchange, members.slice(0, at))
    const met = at >= 0 || (members === null && exchange.request.body.includes(text))
    if (met) return answer(pages.phpFatal).apply(exchange)
    exchange.reply(await exchange.forward())
  },
})
