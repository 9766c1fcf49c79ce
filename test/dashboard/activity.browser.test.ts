import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 0 })
  await add(12, 'delivered', '1 hour')
  await add(3, 'failed', '1 hour')
  await add(5, 'delivered', '3 days', 1)
  await add(178, 'cancelled', '20 days', 2)
})
afterAll(() => stage.stop())

/** Adds so many deliveries of so long ago to a site; they took two seconds. */
const add = (count: number, status: string, age: string, site = 0) =>
  stage.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, error, created_at, requested_at, updated_at)
     SELECT uuidv7(-$3::interval), account_id, id, gen_random_uuid(), uuidv7(-$3::interval), 'Tides', $2,
       CASE $2 WHEN 'failed' THEN '{"code": "content_refused", "step": "fill", "message": "WordPress refused the text."}'::jsonb END,
       now() - $3::interval, now() - $3::interval, now() - $3::interval + interval '2 seconds'
     FROM site, generate_series(1, $1) WHERE id = $4`,
    [count, status, age, stage.siteIds[site]],
  )

const activity = (page: Page) => page.getByRole('region', { name: 'Activity' })

/** What the table of all documents says, a text for each row, without when it was. */
const rows = async (page: Page) => {
  const table = activity(page).getByRole('table', { name: 'Documents', exact: true })
  await table.waitFor({ state: 'attached' })
  return table
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent).join(' | ')),
    )
}

const numbers = (page: Page) => activity(page).locator('.g-plot-y').first().locator('span').allTextContents()

it('Start shows a day, a week or a month: by outcome, with numbers, and for screen readers as a table', async () => {
  const { page, wrong } = await stage.open('/')
  await activity(page).getByRole('heading', { name: 'Documents per hour (peak 15)' }).waitFor()
  expect(await rows(page)).toEqual(['12 Delivered, 3 Failed | 2.0 s'])
  expect(await numbers(page)).toEqual(['0', '5', '10', '15'])
  const parts = activity(page).locator('.g-plot').first().locator('.g-plot-part')
  expect(await parts.count(), 'an hour without anything has nothing').toBe(2)

  await activity(page).getByRole('button', { name: '7 days' }).click()
  await activity(page).getByRole('heading', { name: 'Documents in six hours (peak 15)' }).waitFor()
  expect(await rows(page)).toEqual(['5 Delivered | 2.0 s', '12 Delivered, 3 Failed | 2.0 s'])

  await activity(page).getByRole('button', { name: '30 days' }).click()
  await activity(page).getByRole('heading', { name: 'Documents per day (peak 178)' }).waitFor()
  expect(await numbers(page)).toEqual(['0', '50', '100', '150', '200'])
  expect((await rows(page))[0]).toBe('178 Cancelled | –')
  await page.reload()
  await activity(page).getByRole('heading', { name: 'Documents per day (peak 178)' }).waitFor()
  expect(wrong).toEqual([])
})

it('a bar says what it has, the cause leads to its deliveries, and the site with failures comes first', async () => {
  const { page, wrong } = await stage.open('/?period=30d')
  const plots = activity(page).locator('.g-plot')
  await plots.first().locator('.g-plot-bar').nth(9).hover()
  await plots.first().getByText(': 178 Cancelled').waitFor()
  const sites = activity(page).getByRole('heading', { level: 4 })
  expect(await sites.allTextContents()).toEqual(['Tides weekly', 'The night sky', 'Harbour news'])
  await activity(page)
    .getByRole('link', { name: '3 deliveries to 1 site: WordPress refused the text.' })
    .click()
  await page.getByText('3 deliveries', { exact: true }).waitFor()
  expect(wrong).toEqual([])
})
