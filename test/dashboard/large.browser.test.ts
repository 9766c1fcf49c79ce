import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import budgets from '../../dashboard/budgets.json' with { type: 'json' }
import { signIn } from '../support/browser.ts'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// 300 sites and 50,000 deliveries: a view asks for no more, is sent no more and draws no more than with a few. How long that takes
// is measured by `npm run bench -- page`.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 300, deliveries: 50_000 })
})
afterAll(() => stage.stop())

/** What a page has asked Galley for: calls of the API, and bytes as they were sent. */
interface Asked {
  calls: string[]
  /** How often each thing was asked for, by address. */
  times: Map<string, number>
  answered: number
  files: number
}

function counting(page: Page): Asked {
  const asked: Asked = { calls: [], times: new Map(), answered: 0, files: 0 }
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url())
    // A page that is closed by then has no answer.
    const sizes = await request.sizes().catch(() => ({ responseBodySize: 0 }))
    if (pathname.startsWith('/v1/')) asked.answered += sizes.responseBodySize
    else asked.files += sizes.responseBodySize
  })
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/v1/')) return
    asked.calls.push(`${request.method()} ${pathname}`)
    asked.times.set(request.url(), (asked.times.get(request.url()) ?? 0) + 1)
  })
  return asked
}

/** Calls that every view makes: who is signed in, what happens, and which clients there are. */
const always = ['GET /v1/session', 'GET /v1/stream', 'GET /v1/sites/labels']

it.each([
  [
    '/',
    [
      ...['/v1/causes', '/v1/deliveries/counts', '/v1/deliveries/hours'],
      ...['/v1/sites', '/v1/sites/states', '/v1/sources'],
    ],
  ],
  ['/sites', ['/v1/connect-links', '/v1/sites']],
  ['/deliveries', ['/v1/deliveries']],
  ['/bulk', ['/v1/bulk']],
])('%s asks for each thing once, and for a page of it', async (path, calls) => {
  const { context } = await stage.open('/', { key: null })
  await signIn(context, stage.galley.url, stage.key)
  const fresh = await context.newPage()
  const asked = counting(fresh)
  await fresh.goto(`${stage.galley.url}${path}`)
  await shown(fresh)
  const expected = [...always, ...calls.map((call) => `GET ${call}`)]
  // Links that were sent are asked for by a file of their own, which may come when the table stands.
  await expect.poll(() => new Set(asked.calls)).toEqual(new Set(expected))
  // What the stream says when it begins is that everything may have changed: it is looked at once more.
  expect([...asked.times].filter(([, times]) => times > 2)).toEqual([])
  const pages = [...asked.times.keys()].filter((address) => /\/v1\/bulk(\?|$)/.test(address))
  expect(pages.length).toBeLessThanOrEqual(1)
  expect(asked.answered).toBeLessThan(150_000)
  expect(asked.files).toBeLessThanOrEqual(budgets.view)
  expect(Number(await fresh.evaluate('document.querySelectorAll("*").length'))).toBeLessThan(3_500)
  await context.close()
})

it('a list draws a page of rows, and another filter asks for one more', async () => {
  const { page } = await stage.open('/deliveries')
  await shown(page)
  const rows = page.locator('.g-table tbody tr')
  await expect.poll(() => rows.count()).toBe(25)
  const lists: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/v1/deliveries' && search.includes('status=cancelled')) lists.push(search)
  })
  await page.getByRole('button', { name: 'Status', exact: true }).first().click()
  await page.getByRole('checkbox', { name: 'Cancelled' }).check()
  await page.waitForURL(/status=cancelled/)
  await expect.poll(() => rows.filter({ hasText: 'Cancelled' }).count()).toBe(25)
  expect(new Set(lists).size).toBe(1)
  // Where the stream begins late, what is seen then is looked at once more.
  expect(lists.length).toBeLessThanOrEqual(2)
})

describe('a title that is not among the newest 10,000', () => {
  const search = (page: Page) => page.getByRole('searchbox')
  const before = 'Nothing found yet. Looking further…'

  beforeAll(() =>
    stage.pool.query(`UPDATE delivery SET title = 'The first of all' WHERE id = $1`, [
      stage.deliveryIds.at(-1),
    ]),
  )

  it('is found, and nobody is told before that there is none', async () => {
    const { page, wrong } = await stage.open('/deliveries')
    await shown(page)
    await page.evaluate(hearNothing)
    await search(page).fill('The first of all')
    await page.getByRole('link', { name: 'The first of all' }).waitFor()
    expect(await page.evaluate('window.heard')).toEqual([before])
    expect(wrong).toEqual([])
  })

  it('is not there, which is said at the end, after one question for each part', async () => {
    const { page, wrong } = await stage.open('/deliveries')
    await shown(page)
    const further = new Set<string>()
    const open = { now: 0, most: 0 }
    const count = (change: number) => (request: Request) => {
      const { pathname, searchParams } = new URL(request.url())
      const cursor = searchParams.get('cursor')
      if (pathname !== '/v1/deliveries' || cursor === null) return
      further.add(cursor)
      open.now += change
      open.most = Math.max(open.most, open.now)
    }
    page.on('request', count(1))
    page.on('requestfinished', count(-1))
    page.on('requestfailed', count(-1))
    await search(page).fill('No title at all')
    await page.getByText('Nothing matches. Change the search or the filters.').waitFor()
    expect(further.size).toBeGreaterThanOrEqual(4)
    expect(open.most).toBe(1)
    expect(wrong).toEqual([])
  })

  it('is found among the documents that a preview can be of', async () => {
    const { page, wrong } = await stage.open('/preview')
    await page.getByRole('button', { name: 'Use one you have received' }).click()
    await page.evaluate(hearNothing)
    await page.getByLabel('Search for a title').fill('The first of all')
    await page.getByRole('button', { name: 'The first of all' }).waitFor()
    expect(await page.evaluate('window.heard')).toEqual([before])
    expect(wrong).toEqual([])
  })
})

/** Keeps as `heard` what the page says where it shows nothing. */
const hearNothing = `{
  window.heard = []
  const says = /Nothing (matches|more matches|has this title|found yet)[^…]*?…|Nothing (matches|more matches|has this title)/
  new MutationObserver(() => {
    const [said] = says.exec(document.querySelector('main').textContent) ?? []
    if (said !== undefined && !window.heard.includes(said)) window.heard.push(said)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}`

it('a document on more sites than are listed says so, and leads to all its deliveries', async () => {
  const id = stage.jobIds[0]
  await stage.pool.query('UPDATE delivery SET document_id = $1 WHERE id = ANY ($2)', [
    id,
    stage.deliveryIds.slice(0, 120),
  ])
  const { page, wrong } = await stage.open(`/documents/${id}`)
  await page.getByText('These are the newest 100.').getByRole('link', { name: 'All its deliveries' }).click()
  await page.getByText('120 deliveries', { exact: true }).waitFor()
  expect(wrong).toEqual([])
})
