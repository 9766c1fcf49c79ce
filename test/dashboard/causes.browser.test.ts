import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findViolations } from '../support/browser.ts'
import { type Stage, startStage } from './stage.ts'

// What the start says of sites that do not work, and what it offers.

let stage: Stage
/** Answers as the index of a WordPress's REST API. */
let wordpress: Server
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 0 })
  wordpress = createServer((request, response) => {
    const isIndex = request.url?.startsWith('/wp-json/')
    response.writeHead(200, { 'content-type': isIndex ? 'application/json' : 'text/html' })
    response.end(isIndex ? JSON.stringify({ name: 'Tides', namespaces: ['wp/v2'] }) : '<title>Tides</title>')
  })
  await new Promise<void>((resolve) => wordpress.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await stage.stop()
  wordpress.close()
})

const heading = (name: string) => ({ name, level: 1 })
const attentionOf = (page: Page) => page.getByRole('region', { name: 'Needs your attention' })
const downOf = (page: Page) => page.getByRole('region', { name: 'Down' })

const refused = { code: 'password_wrong', message: 'WordPress does not accept the application password.' }

/** Leaves deliveries to each of so many sites in this status, with this error. */
const addDeliveries = (status: 'held' | 'queued', error: object | null, sites: number, ofEach = 1) =>
  stage.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, due_at, error)
     SELECT uuidv7(), account_id, id, gen_random_uuid(), gen_random_uuid(), 'Tides', $1,
       CASE $1::text WHEN 'queued' THEN now() + interval '1 hour' END, $2::jsonb
     FROM site, generate_series(1, $4) WHERE id = ANY ($3)`,
    [status, error && { step: 'fill', ...error }, stage.siteIds.slice(0, sites), ofEach],
  )

/** So many sites need their owners, who have to connect them again; what is for them is held. */
async function refusePassword(sites: number, ofEach = 1): Promise<void> {
  await stage.pool.query(
    `UPDATE site SET trouble = $1, trouble_since = now(), attention_at = now(), paused_until = NULL, stopped_at = NULL
     WHERE id = ANY ($2)`,
    [refused, stage.siteIds.slice(0, sites)],
  )
  await addDeliveries('held', refused, sites, ofEach)
}

/** So many sites have been down for five minutes, and are tried again in half a minute. */
const takeDown = (sites: number, attention = '23 hours') =>
  stage.pool.query(
    `UPDATE site SET trouble = $1, trouble_since = now() - interval '5 minutes', attention_at = now() + $2::interval,
       paused_until = now() + interval '30 seconds' WHERE id = ANY ($3)`,
    [
      { code: 'server_error', message: 'The site answers with an error of its server (503).' },
      attention,
      stage.siteIds.slice(0, sites),
    ],
  )

const recover = () =>
  stage.pool.query(
    `UPDATE site SET trouble = NULL, trouble_since = NULL, attention_at = NULL, paused_until = NULL, stopped_at = NULL,
       last_success_at = now()`,
  )

beforeEach(async () => {
  await stage.pool.query('DELETE FROM delivery')
  await recover()
})

describe('sites that are down', () => {
  it('are counted by cause with what waits and when they are tried, as it happens, and are gone when they answer', async () => {
    const { page, wrong } = await stage.open('/')
    await attentionOf(page).getByText('Nothing. Every document is on its way or delivered.').waitFor()
    expect(await downOf(page).count()).toBe(0)
    await addDeliveries('queued', null, 2, 3)
    await takeDown(2)
    const cause = downOf(page).getByRole('listitem')
    await cause.getByRole('heading', { name: /^2 sites: The site answers with an error/ }).waitFor()
    await cause.getByText(/^Since .* · 6 documents wait · Next try in \d+ s$/).waitFor()
    await downOf(page).getByText('Galley tries again by itself.', { exact: false }).waitFor()
    await attentionOf(page).getByText('Nothing. Galley does the rest by itself.').waitFor()
    expect(await cause.getByRole('button').count()).toBe(0)
    await recover()
    await downOf(page).waitFor({ state: 'detached' })
    await takeDown(2)
    await cause.getByRole('link', { name: 'Show 2 sites' }).click()
    await page
      .getByRole('region', { name: 'Sites', exact: true })
      .getByText('2 sites', { exact: true })
      .waitFor()
    expect(new URL(page.url()).search).toBe('?state=down&trouble=server_error')
    await page.getByRole('cell', { name: 'Down, retrying' }).first().waitFor()
    expect(wrong).toEqual([])
  })

  it('need attention once they last, without an event that says so', async () => {
    await takeDown(1, '4 seconds')
    const { page, context, wrong } = await stage.open('/')
    await downOf(page).waitFor()
    const list = await context.newPage()
    await list.goto(`${stage.galley.url}/sites?state=needs_owner`)
    await attentionOf(page)
      .getByRole('heading', { name: /^1 site: The site answers/ })
      .waitFor()
    expect(await downOf(page).count()).toBe(0)
    await attentionOf(page).getByRole('button', { name: 'Check again' }).waitFor()
    await list
      .getByRole('row', { name: /Tides weekly/ })
      .getByText('Needs its owner')
      .waitFor()
    expect(wrong).toEqual([])
  })

  it('are checked again from Start, which stays', async () => {
    await takeDown(2, '-1 minute')
    const { page, wrong } = await stage.open('/')
    await attentionOf(page).getByRole('button', { name: 'Check again' }).click()
    // What the check finds is another cause, which may be there first.
    const far = attentionOf(page).getByRole('link', {
      name: /^(Checking…|(Checked|Could not be checked): \d sites?)$/,
    })
    const found = attentionOf(page).getByRole('heading', { name: /^\d sites?: (?!The site answers)/ })
    await far.or(found).first().waitFor()
    // What Galley asks them by itself is due in half a minute.
    await stage.pool.query('UPDATE site SET paused_until = now() WHERE paused_until > now()')
    // Its card goes, and what it said is not forgotten.
    await attentionOf(page)
      .getByText(/^(The problem has changed\. Before|This is over): The site answers with an error/)
      .waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(wrong).toEqual([])
  })

  it('say so on their pages and on those of their deliveries', async () => {
    await addDeliveries('queued', null, 1)
    await takeDown(1)
    const { page, wrong } = await stage.open('/')
    await page.getByRole('link', { name: '1 Waiting', exact: true }).click()
    const row = page.getByRole('row', { name: /Tides/ })
    await row.getByText('Waiting', { exact: true }).waitFor()
    await row.getByText(/^Waiting: the site has been down since \S+, next try in /).waitFor()
    await row.getByRole('link', { name: 'Tides', exact: true }).click()
    await page.getByRole('heading', { name: 'It waits for its site' }).waitFor()
    await page.getByText(/^Waiting: the site has been down since \S+, next try in /).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Tides weekly', exact: true }).click()
    await page.getByRole('heading', { name: /^Down since / }).waitFor()
    await page.getByText('The site answers with an error of its server (503).').waitFor()
    await page.getByText(/Next try in (\d+ s|a moment)$/).waitFor()
    await page
      .getByRole('main')
      .getByText(/^Waiting: the site has been down since /)
      .waitFor()
    expect(wrong).toEqual([])
  })
})

describe('sites to connect again', () => {
  it('one is connected again where its cause leads to, and the address can be loaded again', async () => {
    await refusePassword(1)
    const { page, wrong } = await stage.open('/')
    const cause = attentionOf(page).getByRole('listitem')
    await cause.getByRole('link', { name: 'Connect again', exact: true }).click()
    await page.getByRole('heading', heading('Tides weekly')).waitFor()
    await page.getByRole('heading', { name: /^Needs its owner since / }).waitFor()
    const panel = page.getByRole('region', { name: 'Connect the site again' })
    await panel.waitFor()
    const focused = () => page.evaluate('document.activeElement?.textContent')
    await expect.poll(focused).toBe('Connect the site again')
    await page.reload()
    await panel.getByRole('button', { name: 'Cancel' }).press('Enter')
    await panel.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true)
    expect(wrong).toEqual([])
  })

  it('several get a link each for their owners, to copy and as a file', async () => {
    await refusePassword(2)
    const address = `http://127.0.0.1:${(wordpress.address() as AddressInfo).port}`
    // The other one is not there, and gets none.
    await stage.pool.query(`UPDATE site SET url = $2, rest_root = $2 || '/wp-json/' WHERE id = $1`, [
      stage.siteIds[0],
      address,
    ])
    const { page, wrong } = await stage.open('/')
    await page.getByRole('link', { name: 'Connect 2 sites again' }).click()
    await page.getByText('the application password. It may belong to another user').waitFor()
    const panel = page.getByRole('region', { name: 'Connect sites again through their owners' })
    await panel.getByRole('button', { name: 'Create links to send yourself' }).click()
    await panel.getByText('1 link for 2 sites').waitFor()
    const made = panel.getByRole('row', { name: /Tides weekly/ })
    const link = await made.getByRole('code').textContent()
    expect(link).toMatch(/\/connect\/\w+$/)
    await panel
      .getByRole('row', { name: /Harbour news/ })
      .getByText('site-1.example')
      .first()
      .waitFor()
    const download = page.waitForEvent('download')
    await panel.getByRole('link', { name: 'Download as CSV' }).click()
    const file = await (await download).createReadStream()
    const csv = (await file.toArray()).join('')
    expect(csv).toContain(`Tides weekly,${address},,${link},`)
    // They are shown only once, and stay while the table is searched.
    await page.getByRole('searchbox', { name: 'Search' }).fill('Tides')
    await page.waitForURL(/q=Tides/)
    await page
      .getByRole('region', { name: 'Sites', exact: true })
      .getByText('1 site', { exact: true })
      .waitFor()
    expect(await made.getByRole('code').textContent()).toBe(link)
    await page.getByRole('searchbox', { name: 'Search' }).fill('')
    await page.waitForURL(/password_wrong(&connect=owners)?$/)
    await panel.getByRole('button', { name: 'Copy all' }).click()
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    await page.setViewportSize({ width: 320, height: 900 })
    // The table becomes a list a moment later.
    await expect.poll(() => page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
    expect(await findViolations(page)).toEqual([])
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?state=needs_owner&trouble=password_wrong')
    const links = page.getByRole('region', { name: 'Sent to owners, not connected yet' })
    await links.getByText('Sent to owners').click()
    await links.getByText(address).waitFor()
    expect(wrong).toEqual([])
  })

  it('several are listed, these alone, and each is connected again from there', async () => {
    await refusePassword(2)
    const { page, wrong } = await stage.open('/')
    await page.getByRole('link', { name: 'Show 2 sites' }).click()
    const table = page.getByRole('region', { name: 'Sites', exact: true })
    await table.getByText('2 sites', { exact: true }).waitFor()
    await table
      .getByRole('row', { name: /Harbour news/ })
      .getByRole('button', { name: 'Actions' })
      .click()
    await page.getByRole('menuitem', { name: 'Connect again' }).click()
    await page.getByRole('heading', heading('Harbour news')).waitFor()
    await page.getByRole('region', { name: 'Connect the site again' }).waitFor()
    await page.goBack()
    await recover()
    await page.getByText('Nothing matches.', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await table.getByText('3 sites', { exact: true }).waitFor()
    expect(wrong).toEqual([])
  })

  it('are one cause with their deliveries, and not another', async () => {
    await refusePassword(2)
    const { page, wrong } = await stage.open('/')
    const causes = attentionOf(page).getByRole('listitem')
    await causes.getByText(/^Since .* · 2 documents wait$/).waitFor()
    expect(await causes.count()).toBe(1)
    // Of a site that works meanwhile.
    await stage.pool.query('UPDATE site SET trouble = NULL, attention_at = NULL WHERE id = $1', [
      stage.siteIds[0],
    ])
    await causes.nth(1).waitFor()
    await causes.getByRole('link', { name: 'Show 2 deliveries' }).waitFor()
    expect(wrong).toEqual([])
  })
})

it('many deliveries are counted as people write it', async () => {
  await addDeliveries('held', { code: 'post_changed', message: 'Somebody changed the post.' }, 1, 1200)
  const { page, wrong } = await stage.open('/')
  await page.getByRole('link', { name: '1,200 Waiting for you' }).waitFor()
  await page.getByRole('link', { name: 'Show 1,200 deliveries' }).click()
  await page
    .getByRole('region', { name: 'Deliveries', exact: true })
    .getByText('1,200 deliveries', { exact: true })
    .waitFor()
  expect(wrong).toEqual([])
})

it('where too many wait for all to be counted, it says that there may be more', async () => {
  await addDeliveries('held', { code: 'post_changed', message: 'Somebody changed the post.' }, 1, 10_001)
  const { page, wrong } = await stage.open('/')
  await attentionOf(page).getByText('There may be more.').waitFor()
  // Of many sites with a label, nothing is among what was read.
  await stage.pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at)
     SELECT uuidv7(), account_id, 'Quiet ' || n, 'https://quiet-' || n || '.example', rest_root, 'galley', 'x', '{quiet}', now()
     FROM site, generate_series(1, 201) AS n WHERE id = $1`,
    [stage.siteIds[0]],
  )
  await page.goto(`${stage.galley.url}/?label=quiet`)
  await attentionOf(page).getByText('There may be more.', { exact: false }).waitFor()
  expect(await attentionOf(page).getByText('Every document is on its way').count()).toBe(0)
  await attentionOf(page).getByRole('link', { name: 'Look further' }).click()
  await page.waitForURL('**/deliveries?status=held%2Cfailed&label=quiet')
  await stage.pool.query(`DELETE FROM site WHERE labels = '{quiet}'`)
  await stage.pool.query(
    `INSERT INTO bulk_item (job_id, item_id, status) SELECT $1, id, 'done' FROM delivery`,
    [stage.bulkId],
  )
  await stage.pool.query('UPDATE bulk_job SET dry_run = false, done = 10001 WHERE id = $1', [stage.bulkId])
  await stage.pool.query('ANALYZE bulk_item, delivery')
  await page.goto(`${stage.galley.url}/bulk/${stage.bulkId}`)
  await page
    .getByRole('region', { name: 'What became of the deliveries' })
    .getByText('10,000+', { exact: true })
    .waitFor()
  await stage.pool.query(`UPDATE delivery SET status = 'delivered', error = NULL, post_status = 'draft'`)
  await page.goto(`${stage.galley.url}/deliveries?post_status=draft`)
  await page
    .getByRole('region', { name: /wait for review$/ })
    .getByText('There may be more.')
    .waitFor()
  expect(wrong).toEqual([])
})

it('connecting again is not offered where it would not help, nor to whoever may not', async () => {
  await addDeliveries('held', { code: 'post_changed', message: 'Somebody changed the post.' }, 1)
  const { page, wrong } = await stage.open('/')
  await page.getByRole('link', { name: 'Show 1 delivery' }).waitFor()
  const compare = await page.getByRole('link', { name: 'Compare the texts' }).getAttribute('href')
  expect(compare).toMatch(/\/deliveries\/[\da-f-]{36}$/)
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  const offered = page.getByRole('link', { name: /^Connect/ })
  expect(await offered.count()).toBe(0)

  await refusePassword(2)
  const key = await stage.keyOf({ name: 'Editor', role: 'editor' })
  const editor = await stage.open('/', { key })
  await editor.page.getByRole('link', { name: 'Show 2 sites' }).waitFor()
  expect(await editor.page.getByRole('link', { name: /^Connect/ }).count()).toBe(0)
  await editor.page.goto(`${stage.galley.url}/sites?state=needs_owner&connect=owners`)
  await editor.page.getByRole('heading', heading('Sites')).waitFor()
  expect(await editor.page.getByRole('region', { name: /^Connect/ }).count()).toBe(0)
  await editor.page.goto(`${stage.galley.url}/sites/${stage.siteIds[0]}?connect=again`)
  await editor.page.getByRole('heading', heading('Tides weekly')).waitFor()
  expect(await editor.page.getByRole('region', { name: 'Connect the site again' }).count()).toBe(0)
  expect([...wrong, ...editor.wrong]).toEqual([])
})
