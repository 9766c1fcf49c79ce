import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
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
  answered: number
  files: number
}

function counting(page: Page): Asked {
  const asked: Asked = { calls: [], answered: 0, files: 0 }
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url())
    const { responseBodySize } = await request.sizes()
    if (pathname.startsWith('/v1/')) asked.answered += responseBodySize
    else asked.files += responseBodySize
  })
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/')) asked.calls.push(`${request.method()} ${pathname}`)
  })
  return asked
}

/** Calls that every view makes: who is signed in, and what happens. */
const always = ['GET /v1/session', 'GET /v1/stream']

it.each([
  ['/', ['/v1/causes', '/v1/deliveries/counts', '/v1/deliveries/hours', '/v1/sites']],
  ['/sites', ['/v1/connect-links', '/v1/sites', '/v1/sites/labels']],
  ['/deliveries', ['/v1/deliveries', '/v1/sites/labels']],
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
  expect(asked.calls.length).toBeLessThanOrEqual(expected.length + calls.length)
  expect(asked.answered).toBeLessThan(150_000)
  expect(asked.files).toBeLessThanOrEqual(budgets.view)
  expect(Number(await fresh.evaluate('document.querySelectorAll("*").length'))).toBeLessThan(3_500)
  await context.close()
})

it('a list draws a page of rows, and another filter asks for one more', async () => {
  const { page, context } = await stage.open('/deliveries')
  await shown(page)
  const rows = page.locator('.dataviews-view-table tbody tr')
  await expect.poll(() => rows.count()).toBe(25)
  const lists: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/v1/deliveries' && search.includes('status=cancelled')) lists.push(search)
  })
  await page.getByRole('button', { name: 'Status', exact: true }).first().click()
  await page.getByRole('option', { name: 'Cancelled' }).click()
  await page.waitForURL(/status=cancelled/)
  await expect.poll(() => rows.filter({ hasText: 'Cancelled' }).count()).toBe(25)
  expect(new Set(lists).size).toBe(1)
  // Where the stream begins late, what is seen then is looked at once more.
  expect(lists.length).toBeLessThanOrEqual(2)
  await context.close()
})
