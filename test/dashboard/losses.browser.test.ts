import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Warning, withSeverity } from '../../src/warnings.ts'
import { findViolations } from '../support/browser.ts'
import { type Stage, startStage } from './stage.ts'

// What the page says of documents that lost something, and what it offers.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 0 })
})
afterAll(() => stage.stop())
beforeEach(() => stage.pool.query('DELETE FROM delivery'))

const lost: Warning = { code: 'picture_left_out', message: 'The picture was left out of the post.' }
const changed: Warning = { code: 'slug_taken', message: 'The slug was taken.' }

interface Added {
  warnings: Warning[]
  siteIds?: readonly string[]
  code?: string
  age?: string
}

/** Adds a delivery to each of these sites; one with a code is held. */
const add = ({ warnings, siteIds = stage.siteIds, code, age = '1 hour' }: Added) =>
  stage.pool.query<{ id: string }>(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, error, warnings, created_at)
     SELECT uuidv7(-$4::interval), account_id, id, gen_random_uuid(), gen_random_uuid(), 'Tides',
       CASE WHEN $2::jsonb IS NULL THEN 'delivered' ELSE 'held' END, $2, $3, now() - $4::interval
     FROM site WHERE id = ANY ($1) RETURNING id`,
    [
      siteIds,
      code === undefined
        ? null
        : { code, step: 'fill', message: '1 part of this document would be missing.' },
      JSON.stringify(withSeverity(warnings)),
      age,
    ],
  )

it('Start counts the posts of the week with losses, and leads to them', async () => {
  const { page, wrong } = await stage.open('/')
  await page.getByText('Nothing. Every document is on its way or delivered.').waitFor()
  expect(await page.getByText('went out with losses').count()).toBe(0)
  const two = stage.siteIds.slice(0, 2)
  for (const siteIds of [two, two]) await add({ warnings: [changed, lost], siteIds })
  await add({ warnings: [changed] })
  await add({ warnings: [lost], age: '9 days' })
  const card = page.getByRole('region', { name: '4 posts on 2 sites went out with losses' })
  await card.waitFor()
  expect(await findViolations(page)).toEqual([])
  await card.getByRole('link', { name: 'Show 4 posts' }).click()
  const table = page.getByRole('region', { name: 'Deliveries', exact: true })
  await table.getByText('4 deliveries', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Warnings: Lost' }).waitFor()
  expect(wrong).toEqual([])
})

it('the list is narrowed to a severity, and a delivery shows its losses first', async () => {
  await add({ warnings: [changed, lost], siteIds: stage.siteIds.slice(0, 1) })
  await add({ warnings: [changed] })
  await add({ warnings: [] })
  const { page, wrong } = await stage.open('/deliveries')
  const table = page.getByRole('region', { name: 'Deliveries', exact: true })
  await table.getByText('7 deliveries', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Warnings', exact: true }).first().click()
  await page.getByRole('radio', { name: 'Changed' }).click()
  await table.getByText('4 deliveries', { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Lost' }).click()
  await table.getByText('1 delivery', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await table.getByRole('link', { name: 'Tides', exact: true }).click()
  const items = page.getByRole('heading', { name: 'Warnings' }).locator('..').getByRole('listitem')
  await items.first().waitFor()
  expect(await items.allTextContents()).toEqual([`Lost ${lost.message}`, `Changed ${changed.message}`])
  expect(wrong).toEqual([])
})

it('one that is held for its losses is delivered as somebody decides, alone or with others', async () => {
  const { rows } = await add({ warnings: [lost], code: 'content_lost' })
  const [one] = rows
  const choices = async () =>
    (await stage.pool.query('SELECT on_loss FROM delivery WHERE id = $1', [one?.id])).rows[0].on_loss
  await stage.pool.query(
    `WITH source AS (INSERT INTO source (id, account_id, name, token_hash)
       SELECT gen_random_uuid(), account_id, 'Maker', gen_random_uuid()::text FROM site LIMIT 1 RETURNING id, account_id)
     INSERT INTO event (id, account_id, source_id, status, digest, body)
     SELECT wanted_event_id, source.account_id, source.id, 'planned', wanted_event_id::text::bytea, '{}' FROM delivery, source`,
  )
  const { page, wrong } = await stage.open(`/deliveries/${one?.id}`)
  await page.getByRole('button', { name: 'Deliver anyway' }).waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Deliver as a draft' }).click()
  await expect.poll(choices).toBe('draft')

  await page.goto(`${stage.galley.url}/`)
  const cause = page.getByRole('region', { name: 'Needs your attention' })
  await cause.getByRole('button', { name: 'Deliver as drafts' }).waitFor()
  await cause.getByRole('button', { name: 'Deliver anyway' }).click()
  await page.getByRole('heading', { name: /Try again/ }).waitFor()
  const { rows: jobs } = await stage.pool.query('SELECT action, parameters, dry_run FROM bulk_job')
  expect(jobs).toContainEqual({ action: 'retry', parameters: { on_loss: 'publish' }, dry_run: true })
  expect(wrong).toEqual([])
})
