import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// The filter by a label, in the lists of sites and of deliveries.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 30 })
})
afterAll(() => stage.stop())

/** The filter's button, which says what it lets through. */
const filter = (page: Page) => page.getByRole('button', { name: /^Label/ })

/** The label by which the address filters. */
const asked = (page: Page) => new URL(page.url()).searchParams.get('label')

it('shows the sites that have it, and all when it is taken away', async () => {
  const { page, wrong } = await stage.open('/sites')
  const table = page.getByRole('region', { name: 'Sites', exact: true })
  await table.getByText('3 sites', { exact: true }).waitFor()
  await filter(page).click()
  await page.getByRole('radio', { name: 'weekly' }).check()
  await page.keyboard.press('Escape')
  await table.getByText('1 site', { exact: true }).waitFor()
  expect(asked(page)).toBe('weekly')
  await page.reload()
  await table.getByRole('link', { name: 'Harbour news' }).waitFor()
  await page.getByRole('button', { name: /^Label.*weekly/ }).waitFor()
  await page.getByRole('button', { name: 'Reset', exact: true }).first().click()
  await table.getByText('3 sites', { exact: true }).waitFor()
  expect(asked(page)).toBeNull()
  expect(wrong).toEqual([])
})

it('shows the deliveries to sites that have it', async () => {
  const { page, wrong } = await stage.open('/deliveries')
  const table = page.getByRole('region', { name: 'Deliveries', exact: true })
  await table.getByText('30 deliveries', { exact: true }).waitFor()
  await filter(page).click()
  await page.getByRole('radio', { name: 'weekly' }).check()
  await table.getByText('10 deliveries', { exact: true }).waitFor()
  expect(wrong).toEqual([])
})

it('is found among many by typing, by keyboard alone, and may have a comma', async () => {
  const many = Array.from({ length: 40 }, (_, n) => `Group ${n}`)
  const labels = [...many, 'Press, local']
  await stage.pool.query('UPDATE site SET labels = $1 WHERE id = $2', [labels, stage.siteIds[2]])
  const { page, wrong } = await stage.open('/sites')
  await filter(page).focus()
  await page.keyboard.press('Enter')
  const search = page.getByRole('searchbox', { name: 'Search values' })
  await search.waitFor()
  await expect.poll(() => search.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
  await page.keyboard.type('press')
  const group = page.getByRole('group', { name: 'Label' })
  await group.getByText('1 site').waitFor()
  await expect.poll(() => group.getByRole('radio').count()).toBe(2)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('label') === 'Press, local')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toContain('Press, local')
  await page.getByRole('region', { name: 'Sites' }).getByText('1 site', { exact: true }).waitFor()
  expect(wrong).toEqual([])
})

it('is found among more than the page lists', async () => {
  const many = [...Array.from({ length: 1_001 }, (_, n) => `Group ${n}`), 'Zebra']
  await stage.pool.query('UPDATE site SET labels = $1 WHERE id = $2', [many, stage.siteIds[2]])
  const { page, wrong } = await stage.open('/sites')
  await filter(page).click()
  await page.getByRole('searchbox', { name: 'Search values' }).fill('zeb')
  await page.getByRole('radio', { name: 'Zebra' }).check()
  await page.waitForURL((url) => url.searchParams.get('label') === 'Zebra')
  expect(wrong).toEqual([])
})

it('says which it is, also where no site has it any more', async () => {
  const { page, wrong } = await stage.open('/sites?label=nowhere')
  await page.getByText('Nothing matches. Change the search or the filters.').waitFor()
  await page.getByRole('button', { name: /^Label.*nowhere/ }).waitFor()
  expect(wrong).toEqual([])
})

it('is taken back after the settings of a site were stored', async () => {
  const id = stage.siteIds[0] as string
  const { page, wrong } = await stage.open(`/sites/${id}`)
  const labels = async () => {
    const { body } = await stage.galley.call<{ data: { name: string; labels: string[] } }>(
      'GET',
      `/v1/sites/${id}`,
    )
    return [body.data.name, ...body.data.labels]
  }
  const before = await labels()
  await page.getByRole('button', { name: 'Change the settings' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Ebb')
  await page.getByLabel('Labels', { exact: true }).fill('ebb, flow')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings are stored.').waitFor()
  expect(await labels()).toEqual(['Ebb', 'ebb', 'flow'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(labels).toEqual(before)
  // The site is not there to say what it has.
  expect(wrong.filter((said) => !/a status of 503/.test(said))).toEqual([])
})
