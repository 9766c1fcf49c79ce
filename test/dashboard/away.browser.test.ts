import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// The network is away, or Galley is, and comes back: nobody has to load the page again.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 4, deliveries: 40 })
})
afterAll(() => stage.stop())

const away = 'What you see is from before.'
const heading = (name: string) => ({ name, level: 1 })

/** What may be written to the console meanwhile: that a request got no answer. */
const noAnswer =
  /^UnreachableError: |ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|NETWORK_CHANGED|ABORTED|FAILED)/

/** What a Galley says that is ending, to a page that comes back for its stream. */
const stopping = /the server responded with a status of 503/

it('offline, it shows what it has and says so; back online, it is up to date by itself', async () => {
  const { page, context, wrong } = await stage.open('/sites')
  await page.getByRole('link', { name: 'Tides weekly' }).waitFor()
  await context.setOffline(true)
  await page.getByText(away).waitFor()
  await page.getByRole('link', { name: 'Tides weekly' }).waitFor()

  // A view that was never loaded cannot be shown, and says why.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('heading', { name: 'Galley does not answer' }).waitFor()

  await page.goBack()
  await page.getByRole('link', { name: 'Tides weekly' }).waitFor()
  await stage.pool.query(`UPDATE site SET name = 'Renamed meanwhile' WHERE id = $1`, [stage.siteIds[0]])
  await context.setOffline(false)
  await page.getByRole('link', { name: 'Renamed meanwhile' }).waitFor()
  await page.getByText(away).waitFor({ state: 'detached' })
  expect(wrong.filter((line) => !noAnswer.test(line))).toEqual([])
})

it('what Galley cannot answer again is from before, and says so until it can', async () => {
  const { page, wrong } = await stage.open('/sites')
  await page.getByRole('link', { name: 'Harbour news' }).waitFor()
  await stage.pool.query('ALTER TABLE site RENAME TO site_away')
  try {
    // Somebody comes back to the tab.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText(away).waitFor()
    await page.getByRole('link', { name: 'Harbour news' }).waitFor()
  } finally {
    await stage.pool.query('ALTER TABLE site_away RENAME TO site')
  }
  await page.getByText(away).waitFor({ state: 'detached' })
  expect(wrong.filter((line) => !/the server responded with a status of 500/.test(line))).toEqual([])
})

it('what is done while nobody answers says so, and can be done when somebody does', async () => {
  const { page, context } = await stage.open(`/sites/${stage.siteIds[1]}`)
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.waitFor()
  await context.setOffline(true)
  await pause.click()
  await page.getByText('Galley does not answer', { exact: false }).first().waitFor()
  await context.setOffline(false)
  await pause.click()
  await page.getByRole('heading', { name: /^Paused since/ }).waitFor()
})

it.each([
  ['a site', () => `/sites/${stage.siteIds[2]}`, 'Anhalten'],
  ['the menu of the account', () => '/settings', 'Abmelden'],
])('what is done in vain on %s says so in the language of the page', async (_where, path, name) => {
  const { page } = await stage.open(path(), { context: { locale: 'de-DE' } })
  await shown(page)
  if (name === 'Abmelden') await page.getByRole('button', { name: /^Konto:/ }).click()
  await page.route(/\/v1\//, (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.abort(),
  )
  await page.getByRole('button', { name, exact: true }).first().click()
  const notice = page.locator('.g-notice-line')
  await notice.waitFor()
  expect(await notice.textContent()).toContain('Prüfen Sie, ob')
})

it('Galley ends and comes back: the page goes on, signed in as before', async () => {
  const { page, context, wrong } = await stage.open('/deliveries')
  await page.getByRole('heading', heading('Deliveries')).waitFor()
  await shown(page)
  const again = await stage.leave()
  await page.getByText(away).waitFor()

  const other = await stage.browser.newContext({ storageState: await context.storageState() })
  await again()
  await page.getByText(away).waitFor({ state: 'detached' })
  // It hears again what happens.
  const queued = page.getByRole('row').filter({ hasText: 'Queued' })
  await expect.poll(() => queued.count()).toBe(2)
  await stage.galley.call('POST', `/v1/deliveries/${stage.deliveryIds[4]}/cancel`)
  await expect.poll(() => queued.count()).toBe(1)
  const fresh = await other.newPage()
  await fresh.goto(`${stage.galley.url}/sites`)
  await fresh.getByRole('heading', heading('Sites')).waitFor()
  expect(wrong.filter((line) => !noAnswer.test(line) && !stopping.test(line))).toEqual([])
  await other.close()
})

it('a page that cannot ask who is signed in says so, and goes on when it can', async () => {
  const { page } = await stage.open('/sites')
  await page.getByRole('heading', heading('Sites')).waitFor()
  await page.route('**/v1/session', (route) => route.abort())
  await page.reload()
  await page.getByRole('heading', { name: 'Galley does not answer' }).waitFor()
  await page.unroute('**/v1/session')
  await page.getByRole('heading', heading('Sites')).waitFor()
})

it('what was asked while nobody answered is asked again when somebody does', async () => {
  const { page, context } = await stage.open(`/sites/${stage.siteIds[0]}`)
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await page.getByRole('heading', { name: 'What the last check found' }).waitFor()
  await navigation.getByRole('link', { name: 'Sites' }).click()
  await page.getByRole('link', { name: 'Harbour news' }).waitFor()
  await context.setOffline(true)
  await page.getByText(away).waitFor()
  // Its file is there already; what it would show is not.
  await page.getByRole('link', { name: 'Harbour news' }).click()
  await page.getByRole('heading', { name: 'Galley does not answer' }).waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', heading('Harbour news')).waitFor()
})

it('a view whose file did not come is there when the network is back', async () => {
  const { page, context } = await stage.open('/sites')
  await page.getByRole('link', { name: 'Harbour news' }).waitFor()
  await context.setOffline(true)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sources' }).click()
  await page.getByRole('heading', { name: 'Galley does not answer' }).waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', heading('Sources')).waitFor()
})
