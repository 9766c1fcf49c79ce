import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage, unfold } from './stage.ts'

// A session that ends while somebody is at work, and who comes then.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 2, deliveries: 4 })
})
afterAll(() => stage.stop())

const signInAs = async (page: Page, key: string) => {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** What is waited for, and what ends that. */
function promised() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

it('whoever comes back with the same key finds what was typed, and goes on', async () => {
  const { page, wrong } = await stage.open('/sources')
  await page.getByRole('button', { name: 'Create a source' }).first().click()
  const sender = page.getByLabel('Sender')
  await sender.fill('Half typed')
  await stage.pool.query('DELETE FROM session')
  await page.getByText('Your session has ended').waitFor()
  expect(await sender.isVisible()).toBe(false)
  expect(await page.title()).toBe('Sign in · Galley')

  await signInAs(page, stage.key)
  await sender.waitFor()
  expect(await sender.inputValue()).toBe('Half typed')
  expect(await page.title()).toBe('Sources · Galley')
  await expect.poll(() => sender.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Half typed' }).waitFor()

  // It is kept up to date again, too.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sites' }).click()
  await page.getByRole('link', { name: 'Harbour news' }).waitFor()
  await stage.galley.call('PATCH', `/v1/sites/${stage.siteIds[1]}`, { name: 'Harbour weekly' })
  await page.getByRole('link', { name: 'Harbour weekly' }).waitFor()
  expect(wrong).toEqual([])
})

it('a refusal that comes late, of what was asked before, sends nobody away who has signed in again', async () => {
  const { page, wrong } = await stage.open('/sites')
  const link = page.getByRole('link', { name: 'Tides weekly' })
  await link.waitFor()
  const [ended, signedIn] = [promised(), promised()]
  let asked = 0
  await page.route(/\/v1\/sites\?/, async (route) => {
    asked += 1
    const isFirst = asked === 1
    if (isFirst) await ended.promise
    const response = await route.fetch()
    if (isFirst) {
      expect(response.status()).toBe(401)
      await signedIn.promise
    }
    await route.fulfill({ response })
  })
  // As where somebody comes back to the tab, until nothing from before is under way any more.
  const lookAgain = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect.poll(() => lookAgain().then(() => asked)).toBe(1)
  await stage.pool.query('DELETE FROM session')
  ended.resolve()
  await page.getByText('Your session has ended').waitFor()
  await signInAs(page, stage.key)
  await link.waitFor()
  signedIn.resolve()
  // It is asked once more, as who has signed in.
  await expect.poll(() => asked).toBeGreaterThan(1)
  await stage.galley.call('PATCH', `/v1/sites/${stage.siteIds[1]}`, { name: 'Harbour daily' })
  await page.getByRole('link', { name: 'Harbour daily' }).waitFor()
  expect(await page.getByText('Your session has ended').count()).toBe(0)
  expect(wrong).toEqual([])
  // The stream may have asked for the list once more.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

it('what is open above the page is not seen either, and opens again afterwards', async () => {
  const { page, wrong } = await stage.open('/deliveries')
  const filter = page.getByRole('button', { name: 'Status', exact: true }).first()
  const option = page.getByRole('checkbox', { name: 'Cancelled' })
  await filter.click()
  await option.waitFor()
  await stage.pool.query('DELETE FROM session')
  await page.getByText('Your session has ended').waitFor()
  expect(await option.isVisible()).toBe(false)

  await signInAs(page, stage.key)
  await filter.waitFor()
  if (!(await option.isVisible())) await filter.click()
  await option.waitFor()
  expect(wrong).toEqual([])
})

it('whoever comes with another key finds nothing of it', async () => {
  const other = await stage.keyOf({ name: 'Ann', role: 'editor' })
  const { page, wrong } = await stage.open('/sources')
  await page.getByRole('button', { name: 'Create a source' }).first().click()
  await page.getByLabel('Sender').fill('Secret')
  await unfold(page, 'Signatures')
  await page.getByLabel('Require signatures').check()
  await page.getByRole('button', { name: 'Create the address' }).click()
  const shown = page.getByRole('region', { name: 'Secret' }).locator('code')
  await expect.poll(() => shown.count()).toBe(2)
  const secrets = await shown.allTextContents()
  await stage.pool.query('DELETE FROM session')
  await page.getByText('Your session has ended').waitFor()
  expect(await page.locator('body').innerText()).not.toContain(secrets[1])

  await signInAs(page, other)
  await page.getByRole('button', { name: /^Account:/ }).waitFor()
  const content = await page.content()
  for (const secret of secrets) expect(content).not.toContain(secret)
  expect(wrong).toEqual([])
})

it('nothing is asked while nobody is there', async () => {
  const { page, context } = await stage.open('/sites')
  // Before the page has any timers: those of a clock that came later could not end them.
  await page.clock.install()
  await page.reload()
  await page.getByRole('link', { name: 'Tides weekly' }).waitFor()
  await stage.pool.query('DELETE FROM session')
  await page.getByText('Your session has ended').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.clock.runFor(60_000)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  expect(asked).toEqual([])
  await context.close()
})

it('an account that is disabled is told so, with a way in for another', async () => {
  const { body } = await stage.galley.call<{ data: { key: string; account: { id: string } } }>(
    'POST',
    '/v1/accounts',
    { name: 'Brightwater' },
  )
  const { key, account } = body.data
  const { page, wrong } = await stage.open('/sources', { key })
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor()
  await stage.galley.call('PATCH', `/v1/accounts/${account.id}`, { disabled: true })
  const told = page.getByRole('status').getByText('The account of this API key is disabled.')
  await told.waitFor()
  await page.reload()
  await told.waitFor()
  await signInAs(page, stage.key)
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor()
  expect(wrong).toEqual([])
})

it('why nobody gets in is said in the language of the browser, however late that is loaded', async () => {
  const { body } = await stage.galley.call<{ data: { key: string; account: { id: string } } }>(
    'POST',
    '/v1/accounts',
    { name: 'Lowtide' },
  )
  const { key, account } = body.data
  const { page } = await stage.open('/sources', { key, context: { locale: 'de-DE' } })
  await page.getByRole('heading', { name: 'Quellen', level: 1 }).waitFor()
  await stage.galley.call('PATCH', `/v1/accounts/${account.id}`, { disabled: true })
  const answered = page.waitForResponse(/\/v1\/session$/).then((response) => response.finished())
  await page.route(/\/de-[\w-]+\.js$/, async (route) => {
    await answered
    await route.continue()
  })
  await page.reload()
  await page.getByRole('status').getByText('Das Konto dieses API-Schlüssels ist gesperrt.').waitFor()
})

it('a key with a character that no key has is said to be none', async () => {
  const { page, wrong } = await stage.open('/sites', { key: null })
  await signInAs(page, `\u201c${stage.key}\u201d`)
  await page.getByRole('alert').getByText('This is not an API key').waitFor()
  await signInAs(page, `${stage.key}\u200b`)
  await page.getByRole('alert').getByText('This is not an API key').waitFor()
  await signInAs(page, stage.key)
  await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  expect(wrong).toEqual([])
})
