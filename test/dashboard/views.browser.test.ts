import { mkdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations } from '../support/browser.ts'
import { everyView, openView, shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Every view, opened in a narrow window that is then made wider: nothing lies outside of it, the page does nothing that
// it may not, and axe-core finds nothing in light or in dark. axe does not see how a table sounds; heard.browser.test.ts does.
//
// `npm run screenshots` keeps a picture of each, to be looked at.

const kept = process.env.GALLEY_SCREENSHOTS

// GALLEY_SCREENSHOTS_LANGUAGE=de: in German.
const language = process.env.GALLEY_SCREENSHOTS_LANGUAGE

const widths = [320, 768, 1440]

let stage: Stage
beforeAll(async () => {
  // All states of a site and of a delivery, and more than a page of deliveries.
  stage = await startStage({ sites: 14, deliveries: 60, told: true })
  if (kept) await mkdir(kept, { recursive: true })
})
afterAll(() => stage.stop())

it.each(everyView)('$name', async (view) => {
  const { page, wrong } = await openView(stage, view, {
    context: {
      ...(language && { locale: language }),
      reducedMotion: 'reduce',
      viewport: { width: widths[0] as number, height: 900 },
    },
  })
  await page.emulateMedia({ colorScheme: 'light' })
  for (const width of widths) {
    // The first is that in which it was opened.
    if (width !== widths[0]) {
      await page.setViewportSize({ width, height: 900 })
      await shown(page)
    }
    expect(await page.evaluate(beside), `is wider than a window of ${width} px`).toBe(0)
    expect(await page.evaluate(columnsOutside), `columns at ${width} px`).toEqual([])
    for (const colorScheme of ['light', 'dark'] as const) {
      if (kept === undefined && colorScheme === 'dark' && width !== 1440) continue
      await page.emulateMedia({ colorScheme })
      if (kept)
        await page.screenshot({ path: `${kept}/${view.name}-${width}-${colorScheme}.png`, fullPage: true })
      // Only tables are made of other elements in a wide window, and colours alone differ in the dark.
      const rules = colorScheme === 'dark' ? ['color-contrast'] : []
      const isLooked =
        rules.length > 0 ? width === 1440 : width === 320 || (width === 1440 && (await tables(page)) > 0)
      if (isLooked) expect(await findViolations(page, ...rules), `${colorScheme}, ${width} px`).toEqual([])
    }
  }
  // Where a table is at its narrowest: beside the navigation, and where its states stand on one line.
  for (const width of (await tables(page)) > 0 ? [782, 1190] : []) {
    await page.setViewportSize({ width, height: 900 })
    await shown(page)
    expect(await page.evaluate(columnsOutside), `columns at ${width} px`).toEqual([])
  }
  expect(await page.evaluate(codes), 'what only a program reads').toEqual([])
  expect(wrong).toEqual([])
})

/** Names such as `post_changed` and `DOCUMENT_THINNED` that are shown as if they were words; not those of settings. */
const codes = `(() => {
  const main = document.querySelector('main').cloneNode(true)
  for (const shown of main.querySelectorAll('code, pre, textarea')) shown.remove()
  const found = main.textContent.match(/[A-Za-z]+_[A-Za-z_]+/g) ?? []
  return found.filter((name) => !/GALLEY_|upload_max_filesize/.test(name))
})()`

const beside = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth'

const tables = (page: Page) => page.locator('.g-table').count()

/** Columns of a table that one has to scroll to. */
const columnsOutside = `[...document.querySelectorAll('.g-table')].flatMap((table) =>
  [...table.querySelectorAll('th')]
    .filter((cell) => cell.getBoundingClientRect().right > table.getBoundingClientRect().right + 1)
    .map((cell) => cell.textContent))`
