import axe, { type AxeResults } from 'axe-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyView, openView } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// What axe-core finds on every view, in light and in dark: nothing, but for one thing that is the
// tables' package's own. It does not see how a table sounds; that is tried by hand.

/** Rows of @wordpress/dataviews hold their cells in a way that ARIA does not know. */
const ofDataviews = ({ id, nodes }: AxeResults['violations'][number]): boolean =>
  id === 'aria-required-children' && nodes.every(({ html }) => /^<div role="row"/.test(html))

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 60, told: true })
})
afterAll(() => stage.stop())

describe.each([320, 1440])('%i px wide', (width) => {
  it.each(everyView)('$name', async (view) => {
    const viewport = { width, height: 900 }
    const { page, context } = await openView(stage, view, { reducedMotion: 'reduce', viewport })
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults
      expect(violations.filter((violation) => !ofDataviews(violation)).flatMap(found), colorScheme).toEqual(
        [],
      )
    }
    await context.close()
  })
})

const found = ({ id, nodes }: AxeResults['violations'][number]): string[] =>
  nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n${failureSummary}`)
