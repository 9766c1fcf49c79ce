import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from '../dashboard/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

/** The ground, the text and its typeface, and the typefaces that were loaded. */
const lookOf = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page.evaluate(`document.fonts.ready.then(() => {
    const heading = getComputedStyle(document.querySelector('h1'))
    const ground = [document.body, document.documentElement].map((one) => getComputedStyle(one).backgroundColor)
    return {
      ground: ground.find((colour) => colour !== 'rgba(0, 0, 0, 0)'),
      text: heading.color,
      typeface: heading.fontFamily,
      loaded: [...document.fonts].filter(({ status }) => status === 'loaded').map(({ weight }) => weight).sort(),
    }
  })`)
}

it.each(['light', 'dark'] as const)('a page for owners looks as the dashboard does, %s', async (scheme) => {
  const { page, context } = await stage.open('/', { context: { colorScheme: scheme } })
  const dashboard = await lookOf(page)
  const policy: string[] = []
  page.on('console', (said) => {
    if (said.text().includes('Content Security')) policy.push(said.text())
  })
  await page.goto(`${stage.galley.url}/connect/unknown`)
  expect(await lookOf(page)).toEqual(dashboard)
  expect(dashboard).toMatchObject({ typeface: expect.stringMatching(/^inter/i), loaded: ['400', '500 900'] })
  await expect.poll(() => page.locator('header svg').boundingBox()).toMatchObject({ width: 26, height: 26 })
  expect(policy).toEqual([])
  await context.close()
})
