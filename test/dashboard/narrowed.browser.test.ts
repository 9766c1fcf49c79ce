import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// A list that its address narrows says to what, and leads to all.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 2, deliveries: 6 })
})
afterAll(() => stage.stop())

const open = async (query: string) => {
  const opened = await stage.open(`/deliveries?${query}`)
  return { ...opened, table: opened.page.getByRole('region', { name: 'Deliveries', exact: true }) }
}

it('names the site, and shows all again', async () => {
  const { page, table, wrong } = await open(`site_id=${stage.siteIds[0]}`)
  const main = page.getByRole('main')
  await main.getByText('Only those of the site').getByRole('link', { name: 'Tides weekly' }).waitFor()
  await table.getByText('3 deliveries', { exact: true }).waitFor()
  await main.getByRole('link', { name: 'Show all' }).click()
  await table.getByText('6 deliveries', { exact: true }).waitFor()
  expect(await main.getByText('Only those').count()).toBe(0)
  expect(wrong).toEqual([])
})

it('says since when, and of how many documents, where there are none of these', async () => {
  const since = new Date(Date.now() + 60_000).toISOString()
  const { page, wrong } = await open(`document_id=${crypto.randomUUID()}&created_from=${since}`)
  await page.getByRole('heading', { name: 'There are none of these' }).waitFor()
  const words = await page.getByText('Only those of one document.').textContent()
  expect(words).toContain('Only those that arrived since:')
  expect(await page.locator(`main time[datetime="${since}"]`).count()).toBe(1)
  expect(wrong).toEqual([])
})

it('shows the words of the API where the address is wrong', async () => {
  const { page } = await open('created_from=yesterday')
  await page.getByRole('alert').getByText('created_from').waitFor()
  await page.getByRole('link', { name: 'Show all' }).waitFor()
})
