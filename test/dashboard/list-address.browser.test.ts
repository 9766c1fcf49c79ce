import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// A list shows what its address says, whoever changes that, and something can be done about what Galley does not take.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 40 })
})
afterAll(() => stage.stop())

const open = async (path: string) => {
  const seen = await stage.open(path, { context: { viewport: { width: 1440, height: 900 } } })
  await shown(seen.page)
  return seen
}

const field = (page: Page) => page.getByRole('searchbox')
/** The button of a filter that has no value. */
const status = (page: Page) => page.getByRole('button', { name: 'Status', exact: true }).first()
const value = (page: Page) => expect.poll(() => field(page).inputValue())
const titles = (page: Page) => page.locator('tbody th a')
const searchOf = (page: Page) => new URL(page.url()).searchParams

describe('the address changes', () => {
  it('back, a filter is gone, and does not come again with what is chosen next', async () => {
    const { page, wrong } = await open('/deliveries')
    await status(page).click()
    await page.getByRole('checkbox', { name: 'Failed' }).click()
    await page.waitForURL(/status=failed/)
    await page.getByRole('button', { name: /^Status.*Failed/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.goBack()
    await status(page).waitFor()
    await page.getByRole('columnheader', { name: 'Received' }).getByRole('button').click()
    await page.getByRole('menuitemradio', { name: 'Sort ascending' }).click()
    await page.waitForURL(/sort=created_at/)
    expect(searchOf(page).get('status')).toBe(null)
    expect(wrong).toEqual([])
  })

  it('two that are chosen one right after the other are both asked for', async () => {
    const { page } = await open('/deliveries')
    await status(page).click()
    await page.getByRole('checkbox', { name: 'Failed' }).click()
    await page.getByRole('checkbox', { name: 'Queued' }).click()
    await page.waitForURL((url) => url.searchParams.get('status')?.split(',').length === 2)
  })

  it('a link to the whole list empties the search, and the way back fills it', async () => {
    const { page, wrong } = await open('/sites')
    await field(page).fill('Harbour')
    await page.waitForURL(/q=Harbour/)
    await expect.poll(() => titles(page).allTextContents()).toEqual(['Harbour news'])
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sites' }).click()
    await value(page).toBe('')
    await expect.poll(() => titles(page).count()).toBe(3)
    expect(searchOf(page).get('q')).toBe(null)
    // Longer than the field waits for another letter.
    await page.waitForTimeout(1_000)
    await page.goBack()
    await value(page).toBe('Harbour')
    await expect.poll(() => titles(page).count()).toBe(1)
    expect(wrong).toEqual([])
  })

  it('what is typed on while a part of it is searched stays', async () => {
    const { page } = await open('/sites')
    await field(page).pressSequentially('Harbour news', { delay: 90 })
    await page.waitForURL((url) => url.searchParams.get('q') === 'Harbour news')
    await value(page).toBe('Harbour news')
  })
})

it('a page that was opened by its address leads back to none, and to the one that was left', async () => {
  const { body } = await stage.galley.call<{ next_cursor: string }>('GET', '/v1/deliveries?limit=3')
  const { page, wrong } = await open(`/deliveries?cursor=${body.next_cursor}`)
  const back = page.getByRole('button', { name: 'Back', exact: true })
  expect(await back.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.waitForURL((url) => url.searchParams.get('cursor') !== body.next_cursor)
  await back.click()
  await page.waitForURL((url) => url.searchParams.get('cursor') === body.next_cursor)
  expect(wrong).toEqual([])
})

it('an order that no column offers stays with what is searched', async () => {
  const { page, wrong } = await open('/deliveries?sort=-updated_at')
  await field(page).fill('tide')
  await page.waitForURL(/q=tide/)
  expect(searchOf(page).get('sort')).toBe('-updated_at')
  expect(wrong).toEqual([])
})

describe('what Galley does not take', () => {
  it('a mark of direction is left out of what is asked', async () => {
    const { page, wrong } = await open(`/sites?${new URLSearchParams({ q: '\u202aHarbour\u202c' })}`)
    await expect.poll(() => titles(page).allTextContents()).toEqual(['Harbour news'])
    await field(page).fill('\u202aTides ')
    await page.waitForURL((url) => url.searchParams.get('q') === 'Tides')
    await expect.poll(() => titles(page).allTextContents()).toEqual(['Tides weekly'])
    expect(wrong).toEqual([])
  })

  it('a filter that is refused can be taken back', async () => {
    const { page } = await open('/deliveries?status=nonsense')
    const table = page.getByRole('region', { name: 'Deliveries', exact: true })
    await table.getByRole('alert').getByText('status').waitFor()
    await field(page).waitFor()
    await table.getByRole('button', { name: 'Reset' }).first().click()
    await expect.poll(() => titles(page).count()).toBe(25)
  })

  it('from a page that is refused a button leads to the first', async () => {
    const { page } = await open('/sites?cursor=nowhere')
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'First page' }).click()
    await expect.poll(() => titles(page).count()).toBe(3)
  })
})
