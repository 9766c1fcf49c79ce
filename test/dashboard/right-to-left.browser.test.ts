import { afterAll, beforeAll, expect, it } from 'vitest'
import { everyView, openView, shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Every view from right to left: nothing lies outside of the window, and what stood at one edge stands at the other. No
// language is shipped that is written so; `?rtl` tries it with the others.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 60, told: true })
})
afterAll(() => stage.stop())

it.each(everyView)('$name', async (view) => {
  const turned = { ...view, path: (of: Stage) => `${view.path(of)}?rtl` }
  const { page, wrong } = await openView(stage, turned, {
    context: { viewport: { width: 320, height: 900 }, reducedMotion: 'reduce' },
  })
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await shown(page)
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    expect(await page.evaluate(outside), `${width} px`).toEqual([])
  }
  expect(wrong).toEqual([])
  await page.close()
})

it('the navigation stands at the right, the account at the left, and tables begin at the right', async () => {
  const { page, context } = await stage.open('/sites?rtl', {
    context: { viewport: { width: 1440, height: 900 } },
  })
  await shown(page)
  const at = async (locator: ReturnType<typeof page.locator>) => {
    const box = await locator.boundingBox()
    if (box === null) throw new Error('it is not there')
    return box.x + box.width / 2
  }
  expect(await at(page.getByRole('navigation', { name: 'Main' }))).toBeGreaterThan(1_200)
  expect(await at(page.getByRole('button', { name: /^Account:/ }))).toBeLessThan(300)
  const headers = page.getByRole('columnheader')
  expect(await at(headers.first())).toBeGreaterThan(await at(headers.last()))
  const title = page.getByRole('link', { name: 'Tides weekly', exact: true })
  expect(
    await title.evaluate((link) => getComputedStyle(link.closest('th') as HTMLElement).textAlign),
  ).toMatch(/^(right|start|-webkit-auto)$/)
  await context.close()
})

/** Elements that reach beyond the window at its one edge or the other, but for what is there for the ears alone. */
const outside = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const { left, right, width, height } = element.getBoundingClientRect()
  const style = getComputedStyle(element)
  if (width < 2 || height < 2 || style.visibility === 'hidden') return []
  if (element.closest('.hidden-text, [aria-hidden="true"], .g-skip, svg')) return []
  for (let around = element.parentElement; around; around = around.parentElement)
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(around).overflowX)) return []
  return left < -1 || right > document.documentElement.clientWidth + 1
    ? [element.tagName + '.' + element.className + ' ' + Math.round(left) + ' to ' + Math.round(right)]
    : []
}).concat(document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth ? ['the page scrolls'] : [])`
