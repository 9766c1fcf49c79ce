import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// What arrives is seen as it arrives: nobody clicks, and nothing is loaded again.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 4, deliveries: 40 })
})
afterAll(() => stage.stop())

/** Sends a document of this title for a site that nobody has connected, where it waits for a person. */
async function send(title: string): Promise<void> {
  const document = completed({ title, siteId: randomUUID() })
  const { status } = await stage.galley.call('POST', await webhookPath(stage.galley), document)
  expect(status).toBe(202)
}

it('a delivery appears among the deliveries, and what a search does not find does not', async () => {
  const { page, context, wrong } = await stage.open('/deliveries')
  await shown(page)
  const searched = await context.newPage()
  await searched.goto(`${stage.galley.url}/deliveries?q=monsters`)
  await searched.getByRole('row').nth(1).waitFor()
  await send('A storm at noon')
  await page.getByRole('row').filter({ hasText: 'A storm at noon' }).waitFor()
  await send('Sea monsters, again')
  await searched.getByRole('row').filter({ hasText: 'Sea monsters, again' }).waitFor()
  expect(await searched.getByText('A storm at noon').count()).toBe(0)
  expect(wrong).toEqual([])
})

it('what it needs stands on the start, with one more', async () => {
  const { page, wrong } = await stage.open('/')
  const needs = page.getByRole('region', { name: 'Needs your attention' })
  await shown(page)
  await send('One for nobody')
  await needs.getByRole('listitem').filter({ hasText: 'which is not connected' }).waitFor()
  await page.getByRole('region', { name: 'Activity' }).getByText('Waiting for you').first().waitFor()
  expect(wrong).toEqual([])
})

it('its own page tells each step as it happens', async () => {
  const id = stage.deliveryIds[4]
  const { page } = await stage.open(`/deliveries/${id}`)
  await page.getByRole('main').getByText('Queued', { exact: true }).waitFor()
  await stage.galley.call('POST', `/v1/deliveries/${id}/cancel`)
  await page.getByRole('main').getByText('Cancelled', { exact: true }).waitFor()
})

it('what was asked before something happened, and is answered after it, is asked once more', async () => {
  const id = stage.deliveryIds[24]
  const { page } = await stage.open('/deliveries?status=queued')
  await shown(page)
  let first = true
  await page.route(`**/v1/deliveries/${id}`, async (route) => {
    const answer = await route.fetch()
    if (!first) return route.fulfill({ response: answer })
    first = false
    const { status } = await stage.galley.call('POST', `/v1/deliveries/${id}/cancel`)
    expect(status).toBe(200)
    // Longer than what happens is gathered.
    await page.waitForTimeout(2_000)
    await route.fulfill({ response: answer })
  })
  await page.locator(`a[href$="/deliveries/${id}"]`).click()
  await page.getByRole('main').getByText('Cancelled', { exact: true }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

it('where changes come faster than answers, each answer is waited for and shown', async () => {
  const { page } = await stage.open('/deliveries')
  await shown(page)
  let sent = 0
  await page.route(/\/v1\/deliveries\?/, async (route) => {
    const until = sent + 4
    const answer = await route.fetch()
    await expect.poll(() => sent).toBeGreaterThanOrEqual(until)
    // One that was broken off cannot be answered any more.
    await route.fulfill({ response: answer }).catch(() => undefined)
  })
  const first = page.getByRole('row').filter({ hasText: 'Faster than answers 1' })
  while (sent < 40 && (await first.count()) === 0) {
    sent += 1
    await send(`Faster than answers ${sent}`)
    // Longer than what happens is gathered.
    await page.waitForTimeout(500)
  }
  const enough = sent
  sent = Number.POSITIVE_INFINITY
  expect(enough).toBeLessThan(40)
  // What came while it was asked is there too, after one look more.
  await page
    .getByRole('row')
    .filter({ hasText: `Faster than answers ${enough}` })
    .waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

it('a site that somebody else removes is not there any more', async () => {
  const { page } = await stage.open(`/sites/${stage.siteIds[3]}`)
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const { status } = await stage.galley.call('DELETE', `/v1/sites/${stage.siteIds[3]}?revoke=false`)
  expect(status).toBeLessThan(300)
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
})

it('any number of tabs of one browser can be open, and one that is looked at again shows what has come', async () => {
  const { context, page: first } = await stage.open('/deliveries')
  await first.close()
  await context.addInitScript(inBackground)
  // A browser opens six connections to one host without HTTP/2.
  const tabs: Page[] = []
  for (let tab = 0; tab < 7; tab += 1) {
    for (const before of tabs) await turn(before, 'hidden')
    const page = await context.newPage()
    await page.goto(`${stage.galley.url}/deliveries`)
    await shown(page)
    tabs.push(page)
  }
  await send('Seen by the tab in front')
  await tabs[6]?.getByRole('row').filter({ hasText: 'Seen by the tab in front' }).waitFor()
  const behind = tabs[0] as Page
  expect(await behind.getByText('Seen by the tab in front').count()).toBe(0)
  await turn(tabs[6] as Page, 'hidden')
  await turn(behind, 'visible')
  await behind.getByRole('row').filter({ hasText: 'Seen by the tab in front' }).waitFor()
  await send('Heard of in front again')
  await behind.getByRole('row').filter({ hasText: 'Heard of in front again' }).waitFor()
  await context.close()
})

/** Playwright keeps every tab in front: one is put in the background by what it says of itself. */
const inBackground = `
  window.state = 'visible'
  Object.defineProperty(document, 'visibilityState', { get: () => window.state })
`

const turn = (page: Page, state: 'visible' | 'hidden') =>
  page.evaluate(`window.state = '${state}'; document.dispatchEvent(new Event('visibilitychange'))`)

it('what is asked when the stream is open already is not asked once more as it begins', async () => {
  const { page, context } = await stage.open('/')
  await shown(page)
  await page.close()
  // Where something happens just then, it is asked about, and rightly: that says nothing of this.
  let opened = await openedWithStream(context)
  for (let again = 0; again < 4 && opened.told.length > 1; again += 1)
    opened = await openedWithStream(context)
  const { told, asked } = opened
  expect(told).toEqual(['ready'])
  expect(asked.filter((path) => path === '/v1/sites/states')).toHaveLength(1)
  expect(asked.filter((path) => path === '/v1/stream')).toHaveLength(1)
  await context.close()
})

/** The start of somebody who was here before: its stream is open before it is known who that is. */
async function openedWithStream(context: BrowserContext): Promise<{ asked: string[]; told: string[] }> {
  const page = await context.newPage()
  await page.addInitScript(hearStream)
  const opened = page.waitForResponse(/\/v1\/stream$/)
  await page.route(/\/v1\/session$/, async (route) => {
    await opened
    await route.continue()
  })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(stage.galley.url)
  await shown(page)
  // Longer than what happens is gathered.
  await page.waitForTimeout(1_500)
  const told = await page.evaluate<string[]>('window.told')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
  return { asked, told }
}

/**
 * Keeps as `told` what the stream says, by name. On a machine so busy that the view takes seconds, what is looked at every
 * five would be asked again before the stream is heard: that look is left out.
 */
const hearStream = `{
  window.told = []
  const { fetch, setInterval } = window
  window.setInterval = (run, every, ...rest) => every === 5_000 ? 0 : setInterval(run, every, ...rest)
  window.fetch = async (...request) => {
    const response = await fetch(...request)
    if (!response.url.endsWith('/v1/stream') || response.body === null) return response
    const [ours, theirs] = response.body.tee()
    void (async () => {
      for await (const text of ours.pipeThrough(new TextDecoderStream()))
        window.told.push(...Array.from(text.matchAll(/^event: (\\w+)/gm), ([, name]) => name))
    })().catch(() => undefined)
    return new Response(theirs, response)
  }
}`
