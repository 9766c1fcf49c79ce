import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { loseOneAnswer, type Stage, startStage } from './stage.ts'

// Accounts, keys and settings in Chromium, against a real service and database.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 4, deliveries: 8 })
})
afterAll(() => stage.stop())

const heading = (name: string) => ({ name, level: 1 })

/** The line of a list that has this name. */
const line = (page: Page, list: string, name: string) =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: name })

const mayAsk = async (key: string) =>
  (await fetch(`${stage.galley.url}/v1/sites`, { headers: { authorization: `Bearer ${key}` } })).status

describe('accounts', () => {
  it('are made with a key of their owner, renamed, given credits, disabled and enabled again', async () => {
    const { page, wrong } = await stage.open('/accounts')
    await page.getByRole('button', { name: 'Create an account' }).first().click()
    await page.getByLabel('Name').fill('Brightwater')
    await page.getByLabel('Without limit').uncheck()
    await page.getByRole('button', { name: 'Create the account' }).click()
    const once = page.getByRole('region', { name: 'Brightwater' })
    const key = (await once.locator('code').textContent()) as string
    expect(await mayAsk(key)).toBe(200)
    await once.getByRole('button', { name: 'I have saved it' }).click()

    await page.getByRole('button', { name: 'Give credits: Brightwater' }).click()
    await page.getByLabel('How many credits').fill('1200')
    await page.getByLabel('What for').fill('As agreed')
    await page.getByRole('button', { name: 'Give credits', exact: true }).click()
    await line(page, 'Accounts', 'Brightwater').getByText('1,200 credits').waitFor()

    await page.getByRole('button', { name: 'Change: Brightwater' }).click()
    await page.getByLabel('Name').fill('Brightwater Media')
    await page.getByRole('button', { name: 'Save' }).click()
    const media = line(page, 'Accounts', 'Brightwater Media')
    await page.getByRole('button', { name: 'Disable: Brightwater Media' }).click()
    await media.getByText('Disabled').first().waitFor()
    expect(await mayAsk(key)).not.toBe(200)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Disable: Brightwater Media' }).waitFor()
    expect(await mayAsk(key)).toBe(200)

    // What the operator gave is read by the owner.
    const owner = await stage.open('/settings', { key })
    await owner.page
      .getByRole('table', { name: 'Credits' })
      .getByRole('row')
      .filter({ hasText: 'As agreed' })
      .waitFor()
    expect([...wrong, ...owner.wrong]).toEqual([])
  })

  it('are given credits once, though an answer is lost and the button is pressed again', async () => {
    const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/accounts', {
      name: 'Lost answers',
      unlimited: false,
    })
    const { page } = await stage.open('/accounts')
    await page.getByRole('button', { name: 'Give credits: Lost answers' }).click()
    await page.getByLabel('How many credits').fill('700')
    await loseOneAnswer(page, `**/v1/accounts/${body.id}/credits`)
    const give = page.getByRole('button', { name: 'Give credits', exact: true })
    await give.click()
    await page.getByRole('alert').getByText('Check whether it is running').waitFor()
    await give.click()
    await give.waitFor({ state: 'detached' })
    await line(page, 'Accounts', 'Lost answers').getByText('700 credits', { exact: true }).waitFor()
  })

  it('one’s own takes another name, which stands at the top at once, and cannot be disabled', async () => {
    const { page, wrong } = await stage.open('/accounts')
    const own = page.getByRole('listitem').filter({ hasText: 'Yours' })
    await own.getByRole('button', { name: /^Change:/ }).click()
    await page.getByLabel('Name').fill('Harbour Press')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Account: Harbour Press' }).waitFor()
    expect(await own.getByRole('button', { name: /^Disable:/ }).count()).toBe(0)
    expect(wrong).toEqual([])
  })
})

describe('keys', () => {
  it('end when it was said, and are not made while the last day is half typed', async () => {
    const { page, wrong } = await stage.open('/keys')
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByLabel('Who or what it is for').fill('For a week')
    const end = page.getByLabel('Expires after')
    await end.focus()
    await page.keyboard.type('0102')
    await page.getByRole('button', { name: 'Create the key' }).click()
    expect(await end.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
    await end.fill('2099-12-31')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('region', { name: 'For a week' }).waitFor()
    await line(page, 'Keys', 'For a week').getByText('Until').waitFor()
    expect(wrong).toEqual([])
  })

  it('name their sites, which counts as no visit to these', async () => {
    await stage.keyOf({ name: 'Two sites', role: 'editor', site_ids: stage.siteIds.slice(0, 2) })
    const paths: string[] = []
    const { page, wrong } = await stage.open('/keys', {
      watch: (page) => page.on('request', (request) => paths.push(new URL(request.url()).pathname)),
    })
    await line(page, 'Keys', 'Two sites').getByText('Tides weekly, Harbour news').waitFor()
    expect(paths.filter((path) => path.startsWith('/v1/sites/') && path !== '/v1/sites/labels')).toEqual([])
    expect(wrong).toEqual([])
  })

  it('are limited to a site whose name another one has too, and a search without a match says so', async () => {
    const { page, wrong } = await stage.open('/keys')
    await stage.pool.query("UPDATE site SET name = 'Blog' WHERE id = ANY ($1)", [stage.siteIds.slice(2)])
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByText('https://site-2.example').waitFor()
    await page.getByRole('checkbox', { name: 'Blog', checked: false }).nth(1).click()
    await page.getByRole('checkbox', { name: 'Blog', checked: true }).waitFor()
    const search = page.getByLabel('Search for a site')
    await search.fill('no such site')
    await page.getByText('Nothing matches').waitFor()
    await page.getByText('https://site-3.example').waitFor()
    expect(wrong).toEqual([])
  })

  it('take another name and another end', async () => {
    await stage.keyOf({ name: 'Newsroom', role: 'editor' })
    const { page, wrong } = await stage.open('/keys')
    await page.getByRole('button', { name: 'Change: Newsroom' }).click()
    await page.getByLabel('Who or what it is for').fill('The newsroom')
    await page.getByLabel('Expires after').fill('2099-12-31')
    await page.getByRole('button', { name: 'Save' }).click()
    const changed = line(page, 'Keys', 'The newsroom')
    await changed.getByText('Until').waitFor()
    await page.getByRole('button', { name: 'Change: The newsroom' }).click()
    expect(await page.getByLabel('Expires after').inputValue()).toBe('2099-12-31')
    await page.getByLabel('Expires after').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await changed.getByText('Until').waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })

  it('are replaced, the old one for a while beside the new one, or not at all', async () => {
    const old = await stage.keyOf({ name: 'Feed', role: 'manager' })
    const { page, wrong } = await stage.open('/keys')
    const replace = async (name: string, end: string) => {
      await page.getByRole('button', { name: 'Replace: Feed' }).first().click()
      const form = page.getByRole('region', { name: 'Replace Feed' })
      await form.getByLabel(/^The old key, ….{4}, stops working/).selectOption(end)
      await form.getByRole('button', { name: 'Create the new key' }).click()
      const once = page.getByRole('region', { name, exact: true })
      return { once, key: (await once.locator('code').textContent()) as string }
    }
    const first = await replace('Feed', 'In a week')
    await first.once.getByText('The old key works until').waitFor()
    expect([await mayAsk(old), await mayAsk(first.key)]).toEqual([200, 200])
    await first.once.getByRole('button', { name: 'I have saved it' }).click()
    await line(page, 'Keys', 'Feed').nth(1).getByText('Until').waitFor()
    const second = await replace('Feed', 'At once')
    expect([await mayAsk(first.key), await mayAsk(second.key)]).toEqual([401, 200])
    expect(await second.once.getByText('The old key works until').count()).toBe(0)
    await line(page, 'Keys', 'Feed').getByText('Revoked').waitFor()
    expect(wrong).toEqual([])
  })

  it('of whoever replaces his own goes on until the new one can have been saved', async () => {
    const own = await stage.keyOf({ name: 'Ann', role: 'owner' })
    const { page, wrong } = await stage.open('/keys', { key: own })
    await page.getByRole('button', { name: 'Replace: Ann' }).click()
    await page.getByText('You are signed in with the old key').waitFor()
    const ends = page.getByLabel(/^The old key, ….{4}, stops working/).getByRole('option')
    expect(await ends.allTextContents()).toEqual(['In an hour', 'In a day', 'In a week', 'In 30 days'])
    expect(wrong).toEqual([])
  })

  it('of an owner are offered without a limit to sites, which would be none, and say why', async () => {
    const { page, wrong } = await stage.open('/keys')
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByLabel('Who or what it is for').fill('Second owner')
    const labels = page.getByLabel('And on sites with one of these labels')
    await labels.fill('news')
    await page.getByLabel('Role').selectOption('Owner')
    await page.getByText('It is for all sites').waitFor()
    expect(await labels.count()).toBe(0)
    await page.getByLabel('Role').selectOption('Manager')
    expect(await labels.inputValue()).toBe('news')
    await page.getByLabel('Role').selectOption('Owner')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('region', { name: 'Second owner' }).locator('code').waitFor()
    await line(page, 'Keys', 'Second owner').getByText('All sites').waitFor()
    expect(wrong).toEqual([])
  })
})

describe('settings', () => {
  it('give the account another name, which stands at the top at once', async () => {
    const { body } = await stage.galley.call('POST', '/v1/accounts', { name: 'Brightwater' })
    const { key } = (body as unknown as { data: { key: string } }).data
    const { page, wrong } = await stage.open('/settings', { key })
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name').fill('Brightwater Media')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Brightwater Media' }).waitFor()
    await page.getByRole('button', { name: 'Account: Brightwater Media' }).waitFor()
    expect(wrong).toEqual([])
  })

  it('make a signing secret that is shown only once, and remove it', async () => {
    const { page, wrong } = await stage.open('/settings')
    await page.getByRole('button', { name: 'Create a signing secret' }).click()
    const once = page.getByRole('region', { name: 'Signing secret' })
    const secret = (await once.locator('code').textContent()) as string
    expect(secret).toMatch(/^whsec_/)
    await once.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Remove: Signing secret' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Not signed').waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(wrong).toEqual([])
  })

  it('keep whether each step is told of', async () => {
    const { page } = await stage.open('/settings')
    const steps = page.getByRole('checkbox', { name: 'Notify of each step of a document' })
    await steps.check()
    await expect
      .poll(async () => (await stage.galley.call<{ data: object }>('GET', '/v1/account')).body.data)
      .toMatchObject({ notify_steps: true })
    await page.reload()
    await steps.waitFor()
    expect(await steps.isChecked()).toBe(true)
  })

  it('sign out every browser of the key, after asking', async () => {
    const key = await stage.keyOf({ name: 'Two browsers', role: 'editor' })
    const [first, other] = [await stage.open('/settings', { key }), await stage.open('/sites', { key })]
    await first.page.getByRole('button', { name: 'Sign out everywhere: Two browsers' }).click()
    await first.page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await first.page.getByLabel('API key').waitFor()
    await other.page.getByText('Your session has ended').waitFor()
  })

  it('forget how tables look, and remember it again', async () => {
    const { page, wrong } = await stage.open('/sites')
    await shown(page)
    const kept = JSON.stringify({ layout: 'table', columns: ['state'], perPage: 10 })
    await page.evaluate(`localStorage.setItem('galley.table.sites', ${JSON.stringify(kept)})`)
    await page.reload()
    await shown(page)
    const waiting = page.getByRole('columnheader', { name: 'Waiting' })
    await page.getByRole('columnheader', { name: 'State' }).waitFor()
    expect(await waiting.count()).toBe(0)
    await page.goto(`${stage.galley.url}/settings`)
    await page.getByRole('button', { name: 'Reset all tables' }).click()
    expect(await page.evaluate(`localStorage.getItem('galley.table.sites')`)).toBeNull()
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await page.evaluate(`localStorage.getItem('galley.table.sites')`)).toBe(kept)
    await page.getByRole('button', { name: 'Reset all tables' }).click()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sites' }).click()
    await page.getByRole('heading', heading('Sites')).waitFor()
    await waiting.waitFor()
    expect(wrong).toEqual([])
  })
})
