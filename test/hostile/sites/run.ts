import { setTimeout as wait } from 'node:timers/promises'
import pMap from 'p-map'
import type { Answered } from '../stage/api.ts'
import type { Findings } from '../stage/findings.ts'
import { judge } from '../stage/judge.ts'
import { drawFor } from '../stage/random.ts'
import type { World } from '../stage/world.ts'
import { ask, documentFor, type FlowName, flows, type Walked } from './flows.ts'
import type { HostedSite, Way } from './server.ts'
import { particularWays, textWays } from './ways.ts'

/** Cases at a time, each on a site of its own. */
const AT_ONCE = 6

interface Case {
  flow: FlowName
  /** The request of the flow that is not answered honestly. */
  key: string
  wayName: string
  way: Way
}

/**
 * Goes through so many cases, drawn from every flow, every request of it and every way to answer that one: as many of
 * the ways that are particular as of those that differ in a text alone, of which there are ten times more.
 *
 * @returns how many there are
 */
export async function runSites(world: World, findings: Findings, count: number): Promise<number> {
  const draw = drawFor('sites')
  const places: Pick<Case, 'flow' | 'key'>[] = []
  for (const flow of Object.keys(flows) as FlowName[])
    for (const key of await keysOf(world, flow)) places.push({ flow, key })
  const casesOf = (ways: Record<string, Way>): Case[] =>
    draw.shuffle(
      places.flatMap((place) => Object.entries(ways).map(([wayName, way]) => ({ ...place, wayName, way }))),
    )
  const particular = casesOf(particularWays(world.thief.url))
  const texts = casesOf(textWays(draw))
  const half = Math.min(Math.ceil(count / 2), particular.length)
  const chosen = draw.shuffle([...particular.slice(0, half), ...texts.slice(0, count - half)])
  const asOne = (each: Case) =>
    world.work.during(`${each.flow}: ${each.key} ${each.wayName}`, () => run(world, findings, each))
  await pMap(chosen, asOne, { concurrency: AT_ONCE })
  return particular.length + texts.length
}

/** What a flow asks of a site that is honest, each kind of request once. */
async function keysOf(world: World, flow: FlowName): Promise<string[]> {
  const site = world.hostile.add()
  let from = 0
  const arm = () => {
    from = site.asked.length
  }
  const stage = { world, site, arm, look: () => undefined }
  const walked = await flows[flow](stage)
  await rested(world, walked)
  return [...new Set(site.asked.slice(from))]
}

async function run(world: World, findings: Findings, { flow, key, wayName, way }: Case): Promise<void> {
  if (world.service.ended() !== null) return
  const site = world.hostile.add()
  const label = `${flow}: ${key} answers with ${wayName}`
  const arm = () => {
    site.way = (asked) => (asked === key ? way : undefined)
  }
  const look = (answer: Answered) => {
    judge(world, findings, { answer, label, request: { method: 'GET', target: '/v1' }, wellFormed: true })
    for (const address of addressesIn(answer.json))
      if (!/^https?:\/\//.test(address))
        findings.add('an address that is none', `${label} → ${address.slice(0, 100)}`)
  }
  try {
    const walked = await flows[flow]({ world, site, arm, look })
    await rested(world, walked)
    await lookAtDelivery(world, walked, look)
    site.way = null
    await isWellAgain(world, findings, label, walked)
  } catch (error) {
    findings.add('a case could not be ended', `${label} → ${(error as Error).message}`)
  }
  lookAtCredentials(findings, label, site)
}

/** Milliseconds within which what was begun has come to a rest. */
const PATIENCE_MS = 60_000

/** Until the delivery of a walk is nowhere under way: ended, held, or waiting for its next attempt. */
async function rested({ service }: World, { documentId }: Walked): Promise<void> {
  if (documentId === undefined) return
  for (const from = Date.now(); Date.now() - from < PATIENCE_MS; await wait(50)) {
    const { rows } = await service.pool.query<{ status: string; tried: boolean }>(
      `SELECT status, attempts + site_failures > 0 AS tried FROM delivery WHERE document_id = $1`,
      [documentId],
    )
    const [row] = rows
    if (row !== undefined && row.status !== 'delivering' && (row.status !== 'queued' || row.tried)) return
  }
  throw new Error('the delivery does not come to a rest')
}

async function lookAtDelivery(
  world: World,
  { siteId, documentId }: Walked,
  look: (answer: Answered) => void,
) {
  if (siteId !== undefined) look(await ask(world, 'GET', `/v1/sites/${siteId}`))
  if (documentId === undefined) return
  const list = await ask(world, 'GET', `/v1/deliveries?document_id=${documentId}`)
  look(list)
  const [delivery] = (list.json.data ?? []) as { id: string }[]
  if (delivery !== undefined) look(await ask(world, 'GET', `/v1/deliveries/${delivery.id}`))
}

/** A site that is honest again takes the next document, whatever it said before; nothing of the earlier one is stuck. */
async function isWellAgain(world: World, findings: Findings, label: string, walked: Walked): Promise<void> {
  const { siteId, documentId } = walked
  if (siteId === undefined) return
  const { status, body } = await ask(world, 'POST', `/v1/sites/${siteId}/check`)
  if (status !== 200)
    findings.add(`a check of a sound site answered ${status}`, `${label} → ${body.slice(0, 200)}`)
  if (documentId !== undefined) await retry(world, findings, label, documentId)
  const document = documentFor(world, siteId)
  await ask(world, 'POST', `/v1/webhooks/${world.attackers[1].token}`, document)
  await ended(world, findings, label, document.id, ['delivered'])
}

async function retry(world: World, findings: Findings, label: string, documentId: string): Promise<void> {
  const list = await ask(world, 'GET', `/v1/deliveries?document_id=${documentId}`)
  const [delivery] = (list.json.data ?? []) as { id: string; status: string }[]
  if (delivery === undefined) return findings.add('an accepted document has no delivery', label)
  if (delivery.status !== 'delivered') await ask(world, 'POST', `/v1/deliveries/${delivery.id}/retry`, {})
  await ended(world, findings, label, documentId, ['delivered', 'held', 'failed'])
}

async function ended(
  { service }: World,
  findings: Findings,
  label: string,
  documentId: string,
  wanted: string[],
): Promise<void> {
  let last = 'no delivery'
  for (const from = Date.now(); Date.now() - from < PATIENCE_MS; await wait(50)) {
    const { rows } = await service.pool.query<{ status: string; error: unknown }>(
      'SELECT status, error FROM delivery WHERE document_id = $1',
      [documentId],
    )
    last = `${rows[0]?.status} ${JSON.stringify(rows[0]?.error)}`.slice(0, 300)
    if (wanted.includes(rows[0]?.status ?? '')) return
    if (service.ended() !== null || rows[0]?.status === 'failed') break
  }
  findings.add(`a delivery is not ${wanted.join(' or ')} on a sound site`, `${label} → ${last}`)
}

/** Members that people and programs follow. */
function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, member]) =>
    /url$|^link$/.test(name) && typeof member === 'string' ? [member] : addressesIn(member),
  )
}

/** What arrived was meant for this site: no other password, and never one where Galley has to ask without. */
function lookAtCredentials(findings: Findings, label: string, { wordpress, credentials }: HostedSite): void {
  const own = `Basic ${Buffer.from(`${wordpress.username}:${wordpress.password}`).toString('base64')}`
  for (const given of credentials) if (given !== own) findings.add('a site got credentials of another', label)
}
