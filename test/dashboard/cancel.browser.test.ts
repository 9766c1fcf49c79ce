import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// A delivery is cancelled without being asked, since that can be taken back.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 40 })
  // Nothing is sent, so that what goes on stays where it is.
  await stage.pool.query('UPDATE site SET stopped_at = now()')
  const source = await stage.galley.call<{ id: string }>('POST', '/v1/sources', { name: 'Generator' })
  await stage.pool.query(
    `INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
     SELECT wanted_event_id, account_id, $1, 'document.completed', document_id, 'planned', sha256(id::text::bytea), '{}'
     FROM delivery`,
    [source.body.id],
  )
})
afterAll(() => stage.stop())

const statusOf = async (id: string) =>
  (await stage.galley.call<{ data: { status: string } }>('GET', `/v1/deliveries/${id}`)).body.data.status

const cancel = async (page: Page) => {
  await page.getByRole('main').getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('The delivery is cancelled. What is on the site stays as it is.').waitFor()
}

it.each([
  ['queued', 4, 'Undo'],
  ['failed', 2, 'Try again'],
])('one that is %s goes on after all', async (_status, kind, label) => {
  const id = stage.deliveryIds[kind] as string
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  await cancel(page)
  expect(await statusOf(id)).toBe('cancelled')
  await page.locator('.g-notices').getByRole('button', { name: label, exact: true }).click()
  // Its site is paused.
  await expect.poll(() => statusOf(id)).toBe('waiting')
  await page.getByRole('main').getByText('Waiting', { exact: true }).waitFor()
  expect(wrong).toEqual([])
})
