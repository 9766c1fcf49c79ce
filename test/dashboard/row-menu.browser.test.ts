import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// What can be done with one row: its menu is made only when somebody opens it, which nobody may notice.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 30 })
})
afterAll(() => stage.stop())

const open = async () => {
  const seen = await stage.open('/deliveries', { context: { viewport: { width: 1440, height: 900 } } })
  await shown(seen.page)
  return seen
}

/** The button of the third row. */
const button = (page: Page) => page.getByRole('row').nth(3).getByRole('button', { name: 'Actions' })

const panel = (page: Page) => page.getByRole('region', { name: 'Bulk action on deliveries' })

it('opens with the first click, and does with the row what is chosen', async () => {
  const { page, context, wrong } = await open()
  expect(await button(page).getAttribute('aria-haspopup')).toBe('menu')
  await button(page).click()
  await page.getByRole('menuitem', { name: 'Cancel', exact: true }).click()
  await panel(page).getByRole('radio', { name: 'Those selected: 1 delivery' }).waitFor()
  expect(await panel(page).getByRole('radio', { name: 'Cancel', exact: true }).isChecked()).toBe(true)
  expect(wrong).toEqual([])
  await context.close()
})

it('opens and closes by the keyboard, and the focus is on its button again', async () => {
  const { page, context, wrong } = await open()
  await button(page).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await page.getByRole('menuitem').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expect.poll(() => button(page).evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem').first().waitFor()
  expect(wrong).toEqual([])
  await context.close()
})
