import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// The list of sites and the page of one, in Chromium: imports, links for owners, and what ends a connection.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 6 })
})
afterAll(() => stage.stop())

const csv = `url,username,application_password,labels
http://127.0.0.1:1,editor,abcd efgh ijkl mnop qrst uvwx,news
not an address,editor,abcd efgh ijkl mnop qrst uvwx,news
`

const heading = (name: string) => ({ name, level: 1 })

describe('an import', () => {
  it('is followed line by line, and can be opened again', async () => {
    const { page, wrong } = await stage.open('/sites')
    await page.getByRole('link', { name: 'Import' }).click()
    await page.getByLabel('Or paste CSV').fill(csv)
    await page.getByLabel('Test only').check()
    await page.getByRole('button', { name: 'Test the import' }).click()
    await page.getByRole('heading', heading('Sites that were tried')).waitFor()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    const lines = page.getByRole('region', { name: 'Lines' }).getByRole('listitem')
    await lines.nth(1).waitFor()
    expect(await lines.count()).toBe(2)
    await page.reload()
    await page.getByText('Galley keeps no passwords of lines that were tried').waitFor()
    await page.getByText('0 would be connected · 2 refused', { exact: false }).waitFor()
    expect(await page.content()).not.toContain('abcd efgh')
    expect(wrong).toEqual([])
  })

  it('says what a file lacks', async () => {
    const { page, wrong } = await stage.open('/sites/import')
    await page.getByLabel('CSV file').setInputFiles({
      name: 'sites.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('address\nexample.com'),
    })
    await page.getByRole('button', { name: 'Connect them' }).click()
    await page.getByRole('alert').getByText('url').waitFor()
    expect(wrong).toEqual([])
  })
})

it('the table is sorted by the head of a column, and the address says so', async () => {
  const { page, wrong } = await stage.open('/sites')
  const titles = page.locator('tbody tr a[title]')
  await titles.first().waitFor()
  const named = (await titles.allTextContents()).toSorted()
  for (const [choice, sort, names] of [
    ['Sort descending', '-name', named.toReversed()],
    ['Sort ascending', 'name', named],
  ] as const) {
    await page.getByRole('button', { name: 'Site', exact: true }).click()
    await page.getByRole('menuitemradio', { name: choice }).click()
    await page.waitForURL((url) => url.searchParams.get('sort') === sort)
    await expect.poll(() => titles.allTextContents()).toEqual(names)
  }
  expect(wrong).toEqual([])
})

describe('a link for an owner', () => {
  it('is listed with what has become of it, and withdrawn', async () => {
    const { rows } = await stage.pool.query('SELECT id FROM account')
    await stage.pool.query(
      `INSERT INTO connect_link (id, account_id, token_hash, url, rest_root, requested, expires_at, rejected_at)
       VALUES (uuidv7(), $1, 'one', 'https://owner.example', 'https://owner.example/wp-json/', '{"labels": []}', now() + interval '1 day', now())`,
      [rows[0].id],
    )
    const { page, wrong } = await stage.open('/sites')
    const links = page.getByRole('region', { name: 'Sent to owners, not connected yet' })
    await links.getByText('Sent to owners').click()
    await links.getByText('https://owner.example').waitFor()
    await links.getByText('The owner has declined').waitFor()
    await page.getByRole('button', { name: 'Withdraw: https://owner.example' }).click()
    await links.getByRole('button', { name: 'Withdraw' }).click()
    await links.waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })

  it('is found and withdrawn behind many newer ones, used or not', async () => {
    await stage.pool.query(
      `INSERT INTO connect_link (id, account_id, token_hash, url, rest_root, requested, expires_at, used_at)
       SELECT uuidv7(), a.id, n, 'https://owner-' || n || '.example', 'https://owner-' || n || '.example/wp-json/', '{"labels": []}', now() + interval '1 day',
         CASE WHEN n > 40 THEN now() END
       FROM account a, generate_series(1, 80) n ORDER BY n`,
    )
    const { page, wrong } = await stage.open('/sites')
    const links = page.getByRole('region', { name: 'Sent to owners, not connected yet' })
    await links.getByText('Sent to owners').click()
    await links.getByText('https://owner-40.example').waitFor()
    expect(await links.getByRole('listitem').count()).toBe(25)
    await links.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('button', { name: 'Withdraw: https://owner-1.example' }).click()
    await links.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await links.getByText('https://owner-1.example').waitFor({ state: 'detached' })
    expect(await links.getByRole('listitem').count()).toBe(39)
    expect(await links.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    expect(wrong).toEqual([])
  })
})

describe('the list', () => {
  it('says how many there are, and shows those with a label alone', async () => {
    const { page, wrong } = await stage.open('/sites')
    const table = page.getByRole('region', { name: 'Sites', exact: true })
    await table.getByText('3 sites', { exact: true }).waitFor()
    await table.getByRole('link', { name: 'Harbour news' }).click()
    await page.getByRole('link', { name: 'weekly', exact: true }).click()
    await page.getByRole('button', { name: /^Label.*weekly/ }).waitFor()
    await table.getByText('1 site', { exact: true }).waitFor()
    expect(wrong).toEqual([])
  })
})

describe('a site', () => {
  it('has its own form: that of the site before it is gone', async () => {
    const { page } = await stage.open('/sites')
    for (const name of ['Harbour news', 'Tides weekly']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', heading(name)).waitFor()
      await page.goBack()
    }
    await page.getByRole('link', { name: 'Tides weekly', exact: true }).click()
    await page.getByRole('button', { name: 'Change the settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Another name')
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Search for a title' }).fill('Harbour')
    await page.locator(`.g-find a[href="/sites/${stage.siteIds[1]}"]`).click()
    await page.getByRole('heading', heading('Harbour news')).waitFor()
    await page.getByRole('button', { name: 'Change the settings' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).count()).toBe(0)
  })

  it('shows how it wants its posts, and is removed after asking', async () => {
    const { page, wrong } = await stage.open(`/sites/${stage.siteIds[1]}`)
    await page.getByRole('heading', heading('Harbour news')).waitFor()
    await page.getByText('1 got worse since the check before').waitFor()
    const latest = page.getByRole('list', { name: 'Latest deliveries' }).getByRole('listitem')
    await latest.first().getByRole('link').waitFor()
    const { body } = await stage.galley.call<{ data: { title: string }[] }>(
      'GET',
      `/v1/deliveries?site_id=${stage.siteIds[1]}&limit=5`,
    )
    expect(await latest.getByRole('link').allTextContents()).toEqual(body.data.map(({ title }) => title))
    await page.getByRole('link', { name: 'All deliveries to this site' }).waitFor()
    await page.getByText('They are created').waitFor()
    await page
      .getByText(`give it the same ID, in a file of sites or over the API: ${stage.siteIds[1]}.`)
      .waitFor()
    await page.getByLabel('Also end the application password').uncheck()
    await page.getByRole('button', { name: 'Remove: Harbour news' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', heading('Sites')).waitFor()
    await page.getByText('Harbour news is removed. Its posts stay.').waitFor()
    expect((await stage.galley.call('GET', `/v1/sites/${stage.siteIds[1]}`)).status).toBe(404)
    expect(wrong).toEqual([])
  })

  it('is only read by an editor', async () => {
    const { body } = await stage.galley.call<{ data: { key: string } }>('POST', '/v1/keys', {
      name: 'Editor',
      role: 'editor',
    })
    const { page, wrong } = await stage.open(`/sites/${stage.siteIds[0]}`, { key: body.data.key })
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const buttons = page.locator('main').getByRole('button')
    expect(await buttons.count()).toBe(0)
    await page.goto(`${stage.galley.url}/sites/import`)
    await page.getByRole('heading', { name: 'You are not allowed to see this' }).waitFor()
    expect(wrong).toEqual([])
  })
})
