import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createByteBudget } from '../../src/bytes/budget.ts'
import { checkPublicPosts, queuePublicChecks } from '../../src/delivery/public-check/check-posts.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { generateSecretKey, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { requireSite } from '../../src/sites/health/load-site.ts'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { settled } from '../support/galley.ts'

// When a post's page is looked at, and what becomes of a look that fails. What is found there: public-check.wordpress.test.ts.

const secretKeys = generateSecretKey()
let stage: SimulatedStage
let server: Server
let url: string
/** How the pages answer, in the test that runs. */
let page: RequestListener
let asked: string[] = []

beforeAll(async () => {
  stage = await startSimulated({ config: { secretKeys } })
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    page(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await stage.close()
})
afterEach(() => {
  asked = []
})

/** Simulated sites say that their posts are elsewhere. */
const asDelivered = ['post_address_elsewhere']

const siteId = () => stage.sites[0]?.id as string

/** A published post whose page this test serves. */
async function published(slug: string) {
  const delivery = await settled(stage.galley, await stage.send(siteId(), { post_status: 'publish' }))
  await stage.pool.query('UPDATE delivery SET post_url = $2 WHERE id = $1', [delivery.id, `${url}/${slug}/`])
  return delivery.id
}

const makeDue = (...ids: string[]) =>
  stage.pool.query('UPDATE delivery SET public_check_at = now() WHERE id = ANY ($1)', [ids])

interface Row {
  status: string
  codes: string[]
  public_looks: number
  public_check_at: Date | null
}

async function row(id: string): Promise<Row> {
  const { rows } = await stage.pool.query<Row>(
    `SELECT status, jsonb_path_query_array(warnings, '$[*].code') AS codes, public_looks, public_check_at FROM delivery WHERE id = $1`,
    [id],
  )
  return rows[0] as Row
}

const poll = (isSo: () => Promise<boolean>) =>
  expect
    .poll(
      async () => {
        await queuePublicChecks(stage.pool)
        return isSo()
      },
      { interval: 50 },
    )
    .toBe(true)

const linesOf = async (id: string) => {
  const { rows } = await stage.pool.query(
    `SELECT outcome, detail FROM delivery_step WHERE delivery_id = $1 AND step = 'public' ORDER BY id`,
    [id],
  )
  return rows
}

/** Has all that wait for a look looked at now, in this order, until the pages were asked for so often. */
async function lookAgain(ids: readonly string[], times: number) {
  for (const [place, id] of ids.entries())
    await stage.pool.query(
      `UPDATE delivery SET public_check_at = now() - interval '1 minute' + $2 * interval '1 second'
       WHERE id = $1 AND public_check_at IS NOT NULL`,
      [id, place],
    )
  await poll(async () => asked.length >= times)
}

const noneIsLookedAtAgain = (ids: readonly string[]) =>
  poll(async () => (await Promise.all(ids.map(row))).every((one) => one.public_check_at === null))

test('a site whose pages fail is asked for one of them at a time, three times for each, and its posts stay as they are', async () => {
  page = (_, response) => response.writeHead(500).end('Down')
  const ids = [await published('one'), await published('other')]
  for (const times of [1, 2, 3, 4, 5, 6]) await lookAgain(ids, times)
  await noneIsLookedAtAgain(ids)
  expect(asked).toHaveLength(6)
  for (const id of ids) {
    expect(await row(id)).toMatchObject({ status: 'delivered', codes: asDelivered, public_looks: 3 })
    expect(await linesOf(id)).toEqual([{ outcome: 'unreadable', detail: 'it answered HTTP 500' }])
  }
})

test('a page that fails keeps no other post of its site from being looked at', async () => {
  page = ({ url: path }, response) => {
    if (path === '/broken/') response.writeHead(500).end('Down')
    else response.end('<html><title>Another page</title></html>')
  }
  const [broken, another] = [await published('broken'), await published('another')]
  await lookAgain([broken, another], 1)
  await makeDue(broken, another)
  await poll(async () => (await linesOf(another)).length > 0)
  expect(asked.slice(0, 2)).toEqual(['GET /broken/', 'GET /another/'])
  expect(await linesOf(another)).toEqual([{ outcome: 'found', detail: 'public_other_page' }])
  await noneIsLookedAtAgain([broken, another])
})

test('a page that Galley has no room to read has not been looked at in vain', async () => {
  const id = await published('large')
  page = (_, response) => response.end('x'.repeat(200_000))
  const { rows } = await stage.pool.query('SELECT account_id AS "accountId", id FROM site')
  const budget = createByteBudget(undefined, { waitMs: 50 })
  const others = await budget.answers.take(budget.answers.size)
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test', budget })
  const keyring = openKeyring(parseSecretKeys(secretKeys, 'this test'))
  await makeDue(id)
  const before = await row(id)
  await checkPublicPosts(
    {
      ...{ pool: stage.pool, outbound, timing: quickTiming, stopping: new AbortController().signal },
      siteOf: async (site) => (await requireSite({ pool: stage.pool, keyring, outbound }, site)).open(),
    },
    rows[0],
  )
  expect(asked).toEqual(['GET /large/'])
  expect(await row(id)).toEqual(before)
  others.release()
  await outbound.close()
  await stage.pool.query('UPDATE delivery SET public_check_at = NULL')
})

test('a page of an account that is disabled is looked at once it is enabled', async () => {
  page = (_, response) => response.end('<html><title>Another page</title></html>')
  const id = await published('waits')
  await stage.pool.query('UPDATE account SET disabled_at = now()')
  await makeDue(id)
  await queuePublicChecks(stage.pool)
  const queued = await stage.pool.query(
    `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'public_check'`,
  )
  await stage.pool.query('UPDATE account SET disabled_at = NULL')
  expect({ queued: queued.rowCount, asked }).toEqual({ queued: 0, asked: [] })
  await poll(async () => (await linesOf(id)).length > 0)
  await noneIsLookedAtAgain([id])
})

test('a look that ends after a newer version was delivered changes nothing', async () => {
  const id = await published('late')
  page = (_, response) => {
    void stage.pool
      .query(
        `UPDATE delivery SET public_check_at = now() + interval '1 day', public_looks = 0 WHERE id = $1`,
        [id],
      )
      .then(() => response.end('<html><title>Another page</title></html>'))
  }
  await makeDue(id)
  await poll(async () => {
    const { rowCount } = await stage.pool.query(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'public_check'`,
    )
    return asked.length === 1 && rowCount === 0
  })
  expect(await row(id)).toMatchObject({ codes: asDelivered, public_looks: 0 })
  expect(await linesOf(id)).toEqual([])
})

test('a site that rests is asked later, and one that switches it off, never', async () => {
  page = (_, response) => response.end()
  const id = await published('resting')
  const pause = (until: string) =>
    stage.pool.query('UPDATE site SET paused_until = $1::timestamptz WHERE id = $2', [until, siteId()])
  await pause('2099-01-01')
  await makeDue(id)
  await poll(async () => Number((await row(id)).public_check_at) > Date.now())
  expect(await row(id)).toMatchObject({ public_looks: 0 })
  await stage.pool.query(
    `UPDATE site SET paused_until = NULL, settings = settings || '{"public_check": false}' WHERE id = $1`,
    [siteId()],
  )
  await makeDue(id)
  await poll(async () => (await row(id)).public_check_at === null)
  expect(asked).toEqual([])
})
