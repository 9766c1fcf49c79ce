import pMap from 'p-map'
import type { Findings } from '../stage/findings.ts'
import { judge } from '../stage/judge.ts'
import { drawFor } from '../stage/random.ts'
import { askedRowsOf } from '../stage/rows.ts'
import { exchange } from '../stage/wire.ts'
import { refurnish, type World } from '../stage/world.ts'
import type { Description } from './description.ts'
import { type Generated, requestMaker } from './generate.ts'

/** Requests after which the rows are looked at, and at a time. */
const BATCH = 25
const AT_ONCE = 8

/** Requests after which the attackers get new sites, sources and keys: they delete what they have. */
const FURNISH_EVERY = 400

/** How many requests were answered with which status. */
export type Statuses = Record<string, number>

/** Sends so many generated requests, and looks at each answer and at the rows behind them. */
export async function runRequests(world: World, findings: Findings, count: number): Promise<Statuses> {
  const { service, attackers } = world
  const description = await describe(service.port)
  const make = requestMaker(drawFor('requests'), world, description)
  const statuses: Statuses = {}
  const accounts = attackers.map(({ id }) => id)
  for (let sent = 0; sent < count; sent += BATCH) {
    if (sent > 0 && sent % FURNISH_EVERY === 0) await refurnish(world)
    const batch = Array.from({ length: Math.min(BATCH, count - sent) }, make)
    const before = await askedRowsOf(service.pool, accounts)
    const outcomes = await pMap(batch, (generated) => one(world, findings, generated), {
      concurrency: AT_ONCE,
    })
    for (const { status } of outcomes) statuses[status ?? 'none'] = (statuses[status ?? 'none'] ?? 0) + 1
    const ended = service.ended()
    if (ended !== null) throw new Error(`${ended}; sent last:\n${batch.map(({ label }) => label).join('\n')}`)
    if (outcomes.some(({ mayChange }) => mayChange)) continue
    if ((await askedRowsOf(service.pool, accounts)) !== before)
      findings.add(
        'refused requests changed rows',
        batch.map(({ label }) => label.slice(0, 120)).join(' || '),
      )
  }
  return statuses
}

async function one(world: World, findings: Findings, { request, label, wellFormed }: Generated) {
  try {
    const answer = await world.work.during(label, () => exchange(world.service.port, request))
    judge(world, findings, { answer, label, request, wellFormed })
    return { status: answer.status, mayChange: mayChange(request.method, request.target, answer.status) }
  } catch (error) {
    findings.add('no answer came', `${label} → ${(error as Error).message}`)
    return { status: null, mayChange: true }
  }
}

/** Whether what was asked may have changed something: it was done, is kept though it was refused, or is unanswered. */
function mayChange(method: string, target: string, status: number | null): boolean {
  if (/webhooks|connect/i.test(target)) return true
  if (status === null) return true
  return !['GET', 'HEAD', 'OPTIONS'].includes(method) && status < 400
}

async function describe(port: number): Promise<Description> {
  const { status, body } = await exchange(port, {
    method: 'GET',
    target: '/openapi.json',
    headers: [],
    body: null,
  })
  if (status !== 200) throw new Error(`/openapi.json answered ${status}`)
  return JSON.parse(body)
}
