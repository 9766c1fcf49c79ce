import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Filters, order and selection of a table together.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 600 })
})
afterAll(() => stage.stop())

const rows = '.g-table tbody tr'

it('a header sorts what is filtered, and the filter stays', async () => {
  const { page } = await stage.open('/deliveries')
  await shown(page)
  await page.getByRole('button', { name: 'Status', exact: true }).first().click()
  await page.getByRole('checkbox', { name: 'Delivered' }).check()
  await page.waitForURL(/status=delivered/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Received', exact: true }).click()
  await page.getByRole('menuitemradio', { name: 'Sort ascending' }).click()
  await page.waitForURL(/sort=created_at/)
  expect(new URL(page.url()).searchParams.get('status')).toBe('delivered')
})

it('a row is chosen and left by its box, which is called as its document is', async () => {
  const { page } = await stage.open('/deliveries')
  await shown(page)
  const box = page.locator(rows).first().getByRole('checkbox')
  const title = await page.locator(rows).first().getByRole('rowheader').innerText()
  expect(await box.getAttribute('aria-label')).toBe(title.trim())
  await box.focus()
  await page.keyboard.press('Space')
  await expect.poll(() => box.isChecked()).toBe(true)
  await expect.poll(() => page.locator(`${rows}.is-selected`).count()).toBe(1)
  await page.keyboard.press('Space')
  await expect.poll(() => box.isChecked()).toBe(false)
})
