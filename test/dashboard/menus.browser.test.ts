import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// The menus of rows and columns, and the view options, by mouse and by keyboard.

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

describe('of a row', () => {
  /** The button of the third row. */
  const button = (page: Page) => page.getByRole('row').nth(3).getByRole('button', { name: 'Actions' })

  it('opens with the first click, and acts at once', async () => {
    const { page, wrong } = await open()
    expect(await button(page).getAttribute('aria-haspopup')).toBe('menu')
    await button(page).click()
    await page.getByRole('menuitem', { name: 'Cancel', exact: true }).click()
    await page.getByText('The delivery is cancelled. What is on the site stays as it is.').waitFor()
    await page.locator('.g-notices').getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByRole('row').nth(3).getByText('Cancelled', { exact: true }).waitFor()
    await stage.pool.query("UPDATE delivery SET status = 'failed' WHERE id = $1", [stage.deliveryIds[2]])
    expect(wrong).toEqual([])
  })

  it('says why a document cannot be sent elsewhere', async () => {
    const { page } = await open()
    await page.route(/\/v1\/deliveries\/[\da-f-]{36}/, (route) => route.abort())
    await button(page).click()
    await page.getByRole('menuitem', { name: 'Send elsewhere' }).click()
    await page.locator('.g-notices').getByText('Check whether it is running').waitFor()
  })

  it('offers what makes sense for one that is edited, failed, cancelled or delivered', async () => {
    const { page, wrong } = await open()
    const everywhere = ['Withdraw to draft', 'Withdraw to trash', 'Send elsewhere']
    for (const [row, expected] of [
      [1, ['Compare the texts', 'Open the post', 'Edit in WordPress']],
      [3, ['Try again', 'Open the post', 'Edit in WordPress', 'Cancel']],
      [4, ['Send again', 'Open the post', 'Edit in WordPress']],
      [6, ['Open the post', 'Edit in WordPress', 'Send again']],
    ] as const) {
      await page.getByRole('row').nth(row).getByRole('button', { name: 'Actions' }).click()
      const link = page.getByRole('menuitem', { name: 'Open the post' })
      expect(await link.getAttribute('href')).toBe(`https://site.example/?p=${row - 1}`)
      const offered = await page.getByRole('menuitem').allTextContents()
      expect(offered.filter((label) => !everywhere.includes(label))).toEqual(expected)
      expect(offered).toEqual(expect.arrayContaining(everywhere))
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    expect(wrong).toEqual([])
  })

  it('does nothing twice while it is under way, and another row waits for nothing', async () => {
    const { page, wrong } = await stage.open('/sites')
    await shown(page)
    const asked: string[] = []
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/pause$/, async (route) => {
      asked.push(new URL(route.request().url()).pathname)
      await held
      await route.continue()
    })
    const pause = page.getByRole('menuitem', { name: 'Pause' })
    const openMenu = (row: number) =>
      page.getByRole('row').nth(row).getByRole('button', { name: 'Actions' }).click()
    await openMenu(1)
    await pause.click()
    await expect.poll(() => asked).toHaveLength(1)
    await openMenu(1)
    await pause.evaluate((item: HTMLElement) => item.click())
    await page.keyboard.press('Escape')
    await openMenu(2)
    await pause.click()
    await expect.poll(() => asked).toHaveLength(2)
    release()
    await page.getByText('Paused', { exact: true }).nth(1).waitFor()
    expect(new Set(asked).size).toBe(2)
    for (const path of asked) await stage.galley.call('POST', path.replace('pause', 'resume'))
    expect(wrong).toEqual([])
  })

  it('tells of what failed until somebody closes it, whatever is done since', async () => {
    const { page } = await stage.open('/sites')
    await shown(page)
    const act = async (row: number, name: string) => {
      await page.getByRole('row').nth(row).getByRole('button', { name: 'Actions' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await page.route(/\/check$/, (route) => route.abort(), { times: 1 })
    await act(1, 'Check')
    const failure = page.getByText('Check whether it is running')
    await failure.waitFor()
    for (const row of [1, 2, 3]) {
      await act(row, 'Pause')
      await page.getByRole('row').nth(row).getByText('Paused', { exact: true }).waitFor()
    }
    expect(await failure.count()).toBe(1)
    await page.getByRole('button', { name: 'Close' }).first().click()
    await failure.waitFor({ state: 'detached' })
    for (const id of stage.siteIds) await stage.galley.call('POST', `/v1/sites/${id}/resume`)
  })

  it('opens and closes by the keyboard, and the focus is on its button again', async () => {
    const { page, wrong } = await open()
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
  })
})

describe('of a column', () => {
  const header = (page: Page, name: string) =>
    page.getByRole('columnheader', { name }).getByRole('button', { name, exact: true })

  const hasFocus = (page: Page, name: string) =>
    expect.poll(() => header(page, name).evaluate((one) => one === document.activeElement)).toBe(true)

  /** The name of the line of a menu on which the keyboard is. */
  const line = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

  it('opens with the first click, and sorts, which its header says; a header without a menu is a word', async () => {
    const { page, wrong } = await open()
    const title = page.getByRole('columnheader', { name: 'Document' })
    expect(await title.innerText()).toBe('Document')
    expect(await title.getByRole('button').count()).toBe(0)
    expect(await header(page, 'Received').getAttribute('aria-haspopup')).toBe('menu')
    await header(page, 'Received').click()
    await page.getByRole('menuitemradio', { name: 'Sort ascending' }).click()
    await page.waitForURL(/sort=created_at/)
    const column = page.getByRole('columnheader', { name: 'Received' })
    await expect.poll(() => column.getAttribute('aria-sort')).toBe('ascending')
    await expect.poll(() => column.textContent()).toBe('Received↑')
    expect(wrong).toEqual([])
  })

  it('offers no order that Galley does not have', async () => {
    const { page, wrong } = await open()
    const columns = ['status', 'created_at', 'updated_at']
    await page.evaluate(
      (kept) => localStorage.setItem('galley.table.deliveries', kept),
      JSON.stringify({ columns }),
    )
    await page.goto(`${stage.galley.url}/deliveries?sort=updated_at`)
    await shown(page)
    expect(await page.getByRole('columnheader', { name: 'Last change' }).textContent()).toBe('Last change')
    await header(page, 'Last change').click()
    await page.getByRole('menuitem', { name: 'Hide column' }).waitFor()
    expect(await page.getByRole('menuitemradio').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  it('opens by the keyboard at its first line or its last, closes, and the focus is on its button again', async () => {
    const { page, wrong } = await open()
    for (const [key, at] of [
      ['Enter', 'Move left'],
      ['ArrowDown', 'Move left'],
      ['ArrowUp', 'Hide column'],
    ] as const) {
      await page.reload()
      await shown(page)
      await header(page, 'Reason').focus()
      await page.keyboard.press(key)
      await page.getByRole('menu').waitFor()
      await expect.poll(() => line(page), { message: key }).toBe(at)
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await hasFocus(page, 'Reason')
    }
    expect(wrong).toEqual([])
  })

  it('hides its column, and the focus is on the header beside it', async () => {
    const { page, wrong } = await open()
    await header(page, 'Reason').click()
    await page.getByRole('menuitem', { name: 'Hide column' }).click()
    await page.getByRole('columnheader', { name: 'Reason' }).waitFor({ state: 'detached' })
    await hasFocus(page, 'Status')
    expect(wrong).toEqual([])
  })
})

describe('of what a table looks like', () => {
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it('another layout is chosen', async () => {
    const { page, wrong } = await open()
    await button(page, 'View options').click()
    await page.getByLabel('Layout').selectOption('List')
    await page.getByRole('listitem').first().waitFor()
    expect(await page.getByRole('table').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  it('its options open with the first click, where they belong, a column that is hidden there goes, and the keyboard opens and closes them', async () => {
    const { page, wrong } = await open()
    const options = button(page, 'View options')
    expect(await options.getAttribute('aria-haspopup')).toBeNull()
    await options.click()
    const heading = page.getByRole('heading', { name: 'View options' })
    await heading.waitFor()
    const [at, below] = [await options.boundingBox(), await heading.boundingBox()]
    expect(below?.y).toBeGreaterThan(Number(at?.y) + Number(at?.height))
    expect(Math.abs(Number(below?.x) - Number(at?.x))).toBeLessThan(400)
    await page.getByRole('checkbox', { name: 'Reason' }).uncheck()
    await page.getByRole('columnheader', { name: 'Reason' }).waitFor({ state: 'detached' })

    for (const key of ['Escape', 'Enter', 'Escape']) {
      await page.keyboard.press(key)
      await heading.waitFor({ state: key === 'Enter' ? 'visible' : 'detached' })
      if (key === 'Escape')
        await expect.poll(() => options.evaluate((one) => one === document.activeElement)).toBe(true)
    }
    expect(wrong).toEqual([])
  })
})
