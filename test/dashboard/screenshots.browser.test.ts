import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyView, openView } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// `npm run screenshots`: every view at three widths in both schemes, to be looked at. Elsewhere they are walked in one,
// for what lies outside of them.

const kept = process.env.GALLEY_SCREENSHOTS

const widths = [320, 768, 1440]
const schemes = kept ? (['light', 'dark'] as const) : (['light'] as const)

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 24, deliveries: 600, told: true })
  if (kept) await mkdir(kept, { recursive: true })
})
afterAll(() => stage.stop())

// GALLEY_SCREENSHOTS_LANGUAGE=de: in German.
const language = process.env.GALLEY_SCREENSHOTS_LANGUAGE

describe.each(schemes)('%s', (colorScheme) => {
  it.each(everyView)('$name', async (view) => {
    for (const width of widths) {
      const { page, context, wrong } = await openView(stage, view, {
        colorScheme,
        ...(language && { locale: language }),
        viewport: { width, height: 900 },
      })
      if (kept)
        await page.screenshot({ path: `${kept}/${view.name}-${width}-${colorScheme}.png`, fullPage: true })
      const beside = await page.evaluate(
        'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth',
      )
      expect(beside, `${view.name} at ${width} px is wider than the window`).toBe(0)
      expect(await page.evaluate(columnsOutside), `columns of ${view.name} at ${width} px`).toEqual([])
      expect(wrong).toEqual([])
      await context.close()
    }
  })
})

/** Columns of a table that one has to scroll to. */
const columnsOutside = `[...document.querySelectorAll('.g-table')].flatMap((table) =>
  [...table.querySelectorAll('th')]
    .filter((cell) => cell.getBoundingClientRect().right > table.getBoundingClientRect().right + 1)
    .map((cell) => cell.textContent))`
