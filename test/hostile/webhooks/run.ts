import { setTimeout as wait } from 'node:timers/promises'
import pMap from 'p-map'
import type { Findings } from '../stage/findings.ts'
import { judge } from '../stage/judge.ts'
import { drawFor, long } from '../stage/random.ts'
import { exchange } from '../stage/wire.ts'
import { refurnish, type World } from '../stage/world.ts'
import { type HostileWebhook, webhookMaker } from './generate.ts'

/** Webhooks after which their deliveries are waited for, and at a time. */
const BATCH = 50
const AT_ONCE = 6

/** What became of the webhooks: how many answers of each status, and how many deliveries ended in which one. */
export type Outcome = Record<string, number>

/** Sends so many hostile webhooks, for a site that is well, and waits until each delivery has come to an end. */
export async function runWebhooks(world: World, findings: Findings, count: number): Promise<Outcome> {
  await refurnish(world)
  const { service, attackers, files } = world
  const [attacker] = attackers
  const draw = drawFor('webhooks')
  const make = webhookMaker(draw, {
    siteIds: [attacker.siteId, attacker.siteId, attacker.siteId, draw.uuid()],
    pictures: (long ? [...files.light, ...files.light, ...files.heavy] : files.light).map(
      (path) => `${files.url}${path}`,
    ),
  })
  const outcome: Outcome = {}
  for (let sent = 0; sent < count; sent += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - sent) }, make)
    const statuses = await pMap(batch, (webhook) => one(world, findings, attacker.token, webhook), {
      concurrency: AT_ONCE,
    })
    for (const status of statuses) outcome[status] = (outcome[status] ?? 0) + 1
    const ended = service.ended()
    if (ended !== null) throw new Error(`${ended}; sent last:\n${batch.map(({ label }) => label).join('\n')}`)
    await settled(world, findings, attacker.id)
  }
  const { rows } = await service.pool.query<{ status: string; code: string | null; n: number }>(
    `SELECT status, error->>'code' AS code, count(*)::int AS n FROM delivery WHERE account_id = $1 GROUP BY 1, 2`,
    [attacker.id],
  )
  for (const { status, code, n } of rows) outcome[`${status}${code === null ? '' : ` ${code}`}`] = n
  return outcome
}

async function one(
  world: World,
  findings: Findings,
  token: string,
  { text, label }: HostileWebhook,
): Promise<string> {
  const request = {
    method: 'POST',
    target: `/v1/webhooks/${token}`,
    headers: [['Content-Type', 'application/json']] as [string, string][],
    body: Buffer.from(text),
  }
  try {
    const answer = await world.work.during(label, () => exchange(world.service.port, request))
    judge(world, findings, { answer, label, request, wellFormed: true })
    return String(answer.status)
  } catch (error) {
    findings.add('a webhook had no answer', `${label} → ${(error as Error).message}`)
    return 'none'
  }
}

/** Milliseconds for the deliveries of a batch; a site that is paused is tried again within seconds. */
const PATIENCE_MS = 60_000

/** Resolves when nothing of an account is on its way, but for what waits for a later attempt. */
export async function settled(world: World, findings: Findings, accountId: string): Promise<void> {
  const busy = async () =>
    (
      await world.service.pool.query<{ id: string; status: string; title: string }>(
        `SELECT d.id, d.status, left(convert_from(e.body, 'UTF8'), 300) AS title
         FROM delivery d LEFT JOIN event e ON e.id = d.wanted_event_id
         WHERE d.account_id = $1 AND d.status IN ('queued', 'delivering') AND d.attempts = 0 AND d.site_failures = 0
         UNION ALL SELECT id, 'running', 'a check' FROM bulk_job WHERE account_id = $1 AND ended_at IS NULL`,
        [accountId],
      )
    ).rows
  for (const from = Date.now(); Date.now() - from < PATIENCE_MS; ) {
    if ((await busy()).length === 0) return
    if (world.service.ended() !== null) return
    await wait(100)
  }
  for (const { status, title } of await busy()) findings.add(`a delivery stays ${status}`, title)
}
