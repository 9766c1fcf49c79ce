import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'pg'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerBacklogMetrics } from '../../src/observe/backlog.ts'
import { registerProcessMetrics } from '../../src/observe/metrics.ts'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

let stage: SimulatedStage
beforeAll(async () => {
  stage = await startSimulated({ config: { metricsAddress: { host: '127.0.0.1', port: 0 } } })
})
afterAll(() => stage.close())

const shown = async (): Promise<string> => (await fetch(`${stage.galley.metricsUrl}/metrics`)).text()

/** The value of a line of /metrics, by what stands before it; undefined where there is none. */
function figure(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

describe('what is done', () => {
  it('a document that came to its site is a figure, with what it took and what was asked for it', async () => {
    const before = await shown()
    const id = await stage.send(stage.sites[0]?.id as string)
    await settled(stage.galley, id)
    const after = await shown()
    const grew = (series: string) => (figure(after, series) ?? 0) - (figure(before, series) ?? 0)
    expect(grew('galley_webhook_to_post_seconds_count{way="first_attempt"}')).toBe(1)
    expect(grew('galley_delivery_attempts_total{outcome="delivered"}')).toBe(1)
    expect(grew('galley_batch_size_count')).toBeGreaterThanOrEqual(2)
    expect(
      grew('galley_site_request_duration_seconds_count{kind="write",outcome="answered"}'),
    ).toBeGreaterThanOrEqual(2)
    expect(after).toMatch(/galley_build_info\{version="[\d.]+",node="v\d+[\d.]+",role="all"\} 1/)
    expect(figure(after, 'galley_database_up')).toBe(1)
    expect(figure(after, 'galley_processes')).toBe(1)
  })

  it('no label is an address or an id', async () => {
    const text = await shown()
    expect(text).not.toContain(stage.sites[0]?.id)
    expect(text).not.toMatch(/=".*(https?:|[\da-f]{8}-[\da-f]{4}).*"/)
  })
})

describe('what waits', () => {
  it('is counted by where it stands, with the age of the oldest', async () => {
    const { pool, sites } = stage
    const { rows } = await pool.query('SELECT id FROM account')
    const accountId = rows[0].id
    const resting = randomUUID()
    await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, trouble, paused_until)
       VALUES ($1, $2, 's', 'https://s.test', 'https://s.test/', 'u', 'p', now(), '{"code": "unreachable", "message": ""}', now() + interval '1 day')`,
      [resting, accountId],
    )
    const [disabled, asleep] = [randomUUID(), randomUUID()]
    await pool.query("INSERT INTO account (id, name, disabled_at) VALUES ($1, 'gone', now())", [disabled])
    await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
       VALUES ($1, $2, 's', 'https://a.test', 'https://a.test/', 'u', 'p', now())`,
      [asleep, disabled],
    )
    const standing = [
      [asleep, 'queued', -200, disabled],
      [resting, 'queued', -900],
      [resting, 'queued', -100],
      [sites[0]?.id, 'queued', 3_600],
      [sites[0]?.id, 'held', null],
      [sites[0]?.id, 'failed', null],
      [sites[0]?.id, 'failed', null],
    ]
    for (const [siteId, status, dueIn, owner = accountId] of standing)
      await pool.query(
        `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7), now() - interval '2 hours')`,
        [randomUUID(), owner, siteId, randomUUID(), randomUUID(), status, dueIn],
      )
    const registry = new Registry()
    registerBacklogMetrics(registry, pool)
    const text = await registry.metrics()
    const count = (status: string) => figure(text, `galley_deliveries{status="${status}"}`)
    const age = (status: string) => figure(text, `galley_deliveries_oldest_seconds{status="${status}"}`)
    expect({
      due: count('due'),
      waiting: count('waiting'),
      later: count('later'),
      held: count('held'),
      failed: count('failed'),
    }).toEqual({ due: 0, waiting: 3, later: 1, held: 1, failed: 2 })
    expect(age('waiting')).toBeGreaterThanOrEqual(900)
    expect(age('waiting')).toBeLessThan(7_000)
    expect(age('held')).toBeGreaterThanOrEqual(7_200)
    expect(age('due')).toBe(0)
  })

  it('is not shown where the database does not answer, and the other figures are', async () => {
    const nowhere = new Pool({ connectionString: 'postgres://127.0.0.1:9/none' })
    const registry = new Registry()
    registerProcessMetrics(registry)
    registerBacklogMetrics(registry, nowhere)
    const text = await registry.metrics()
    expect(figure(text, 'galley_database_up')).toBe(0)
    expect(text).not.toMatch(/^galley_(deliveries|jobs_ready|processes)\b/m)
    expect(text).toContain('galley_delivery_attempts_total')
    await nowhere.end()
  })
})

describe.each([
  'deploy/prometheus/galley.rules.yml',
  'deploy/prometheus/galley.rules.test.yml',
  'deploy/grafana/galley.json',
])('%s', (file) => {
  it('names no figure that /metrics does not show', async () => {
    const known = new Set<string>()
    for (const [, name = '', type] of (await shown()).matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      known.add(name)
      if (type === 'histogram') for (const end of ['bucket', 'sum', 'count']) known.add(`${name}_${end}`)
    }
    const named = [...read(file).matchAll(/\b(?:galley|process|nodejs)_\w+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('names no state that a figure does not have', async () => {
    const text = await shown()
    const states = [...read(file).matchAll(/(galley_deliveries\w*)\{[^}]*status=\\?"(\w+)/g)]
    for (const [, name, status] of states) expect(text).toContain(`${name}{status="${status}"}`)
  })
})
