import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 120 })
  await stage.pool.query(`UPDATE site SET labels = ARRAY['Harbour news'] WHERE id = ANY ($1)`, [
    stage.siteIds.slice(0, 2),
  ])
})
afterAll(() => stage.stop())

it('one client of an agency is chosen once, and stays while its start, sites and deliveries are looked at', async () => {
  const { page, wrong } = await stage.open('/?period=30d')
  const main = page.getByRole('main')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const client = page.getByLabel('Show the sites with a label')
  const counted = async () =>
    (
      await main
        .getByRole('link', { name: /Delivered$/ })
        .first()
        .textContent()
    )?.trim()
  const ofAll = await counted()
  await client.selectOption('Harbour news')
  await main.getByText('Sites with the label “Harbour news”', { exact: false }).waitFor()
  await expect.poll(counted).not.toBe(ofAll)

  await navigation.getByRole('link', { name: 'Sites' }).click()
  await page.waitForURL('**/sites?label=Harbour+news')
  await main.getByText('2 sites', { exact: true }).waitFor()
  await navigation.getByRole('link', { name: 'Keys' }).click()
  await page.waitForURL('**/keys')
  expect(await client.inputValue()).toBe('Harbour news')
  await navigation.getByRole('link', { name: 'Deliveries' }).click()
  await page.waitForURL('**/deliveries?label=Harbour+news')

  // Somebody else has named another client.
  const body = { labels: ['Harbour news', 'Tides'] }
  await stage.galley.call('PATCH', `/v1/sites/${stage.siteIds[0]}`, body)
  await client.getByRole('option', { name: 'Tides' }).waitFor({ state: 'attached' })

  await client.selectOption('All sites')
  await page.waitForURL('**/deliveries')

  await stage.pool.query(
    `UPDATE site SET labels = (SELECT array_agg('Client ' || n) FROM generate_series(1, 1001) AS n) WHERE id = $1`,
    [stage.siteIds[3]],
  )
  const more = client.getByRole('option', { name: 'Only the most used labels are listed' })
  await more.waitFor({ state: 'attached' })
  expect(wrong).toEqual([])
})
