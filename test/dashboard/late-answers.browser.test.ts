import type { BrowserContext, Locator, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// Nothing moves from under a pointer because the answers of a view come in another order than its parts.

let stage: Stage
/** Of a browser that has seen the page before. */
let within: BrowserContext
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 240, told: true })
  await stage.pool.query(
    `UPDATE delivery SET post_status = 'draft', warnings = '[{"code": "picture_left_out", "severity": "loss", "message": "A picture is missing."}]'
     WHERE status = 'delivered' AND created_at > now() - interval '6 days'`,
  )
  await stage.pool.query(`UPDATE bulk_job SET dry_run = false, done = 3 WHERE id = $1`, [stage.bulkId])
  const { page, context } = await stage.open('/sites')
  await page.getByLabel('Show the sites with a label').waitFor()
  within = context
  // One tab of a browser hears for all of them.
  await page.close()
})
afterAll(() => stage.stop())

interface Late {
  view: string
  path: () => string
  /** The path of the requests that are answered last. */
  late: string
  /** Of these, the search of the address. */
  asks?: RegExp
  below: (page: Page) => Locator
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, exact: true })
const rows = (page: Page) => page.locator('.g-table tbody tr').nth(1)

const start = { view: 'Start', path: () => '/', below: heading('Activity') }
const site = () => `/sites/${stage.siteIds[0]}`

it.each<Late>([
  { ...start, late: '/v1/causes' },
  { ...start, late: '/v1/sites/states' },
  { ...start, late: '/v1/deliveries/counts', asks: /severity=loss/ },
  { ...start, late: '/v1/deliveries/counts', asks: /post_status/ },
  {
    ...start,
    path: () => '/?period=30d',
    late: '/v1/causes',
    asks: /created_from/,
    below: heading('Sites with the most failures, then with the most documents'),
  },
  { view: 'a site', path: site, late: '/v1/deliveries', below: heading('Settings') },
  { view: 'the sites', path: () => '/sites', late: '/v1/connect-links', below: rows },
  {
    ...{ view: 'the deliveries', path: () => '/deliveries?post_status=draft' },
    ...{ late: '/v1/deliveries/counts', below: rows },
  },
  {
    view: 'the documents',
    path: () => '/documents',
    late: '/v1/document/price',
    below: (page) => page.getByLabel('Kind'),
  },
  {
    ...{ view: 'a document', path: () => `/documents/${stage.jobIds[0]}` },
    ...{ late: '/v1/deliveries', below: (page) => page.getByRole('button', { name: 'Deliver to sites' }) },
  },
  {
    ...{ view: 'a document', path: () => `/documents/${stage.jobIds[0]}` },
    ...{ late: '/v1/document/status/[^/]+', below: heading('What was asked for') },
  },
  {
    view: 'the notifications',
    path: () => '/outcomes',
    late: '/v1/receivers',
    below: heading('Notifications sent'),
  },
  { view: 'the settings', path: () => '/settings', late: '/v1/account', below: heading('This browser') },
  {
    ...{ view: 'a bulk job', path: () => `/bulk/${stage.bulkId}` },
    ...{ late: '/v1/deliveries/counts', below: heading('Individual results') },
  },
  {
    ...{ view: 'a bulk job', path: () => `/bulk/${stage.bulkId}` },
    late: '/v1/deliveries',
    below: (page) => page.getByRole('list', { name: 'Individual results' }).getByRole('listitem').nth(2),
  },
  {
    ...{ view: 'the first run', path: () => `/welcome?site=${stage.siteIds[0]}` },
    ...{ late: '/v1/sites/[^/]+', below: heading(/Choose where your documents come from/) },
  },
  {
    ...{ view: 'a new post', path: () => '/preview' },
    ...{ late: '/v1/sites', below: (page) => page.getByRole('button', { name: 'Show the preview' }) },
  },
  {
    ...{ view: 'the navigation', path: () => '/keys' },
    ...{ late: '/v1/sites/labels', below: (page) => page.getByRole('link', { name: 'Sites', exact: true }) },
  },
])('nothing of $view moves when $late is answered last', async ({ path, late, asks, below }) => {
  const held: Route[] = []
  const open = new Set<Request>()
  const isLate = (url: string) => {
    const { pathname, search } = new URL(url)
    return new RegExp(`^${late}$`).test(pathname) && (asks === undefined || asks.test(search))
  }
  const { page } = await stage.open(path(), {
    within,
    watch: (page) => {
      page.on('request', (request) => open.add(request))
      page.on('requestfinished', (request) => open.delete(request))
      page.on('requestfailed', (request) => open.delete(request))
      void page.route(
        (url) => isLate(url.href),
        (route) => void held.push(route),
      )
    },
  })
  /** How many are awaited, beside what is held back and the stream of what changes. */
  const awaited = () =>
    [...open].filter((request) => !isLate(request.url()) && !request.url().includes('/v1/stream')).length
  let calm = 0
  await expect
    .poll(() => (calm = held.length > 0 && awaited() === 0 ? calm + 1 : 0), { interval: 50, timeout: 20_000 })
    .toBeGreaterThan(6)
  const placeOf = async () => (await below(page).count()) > 0 && (await below(page).boundingBox())?.y
  const before = await placeOf()
  for (const route of held) await route.continue()
  await page.unrouteAll({ behavior: 'wait' })
  await below(page).waitFor()
  calm = 0
  await expect.poll(() => (calm = awaited() === 0 ? calm + 1 : 0), { interval: 50 }).toBeGreaterThan(6)
  if (before !== false) expect(await placeOf()).toBe(before)
  await page.close()
})
