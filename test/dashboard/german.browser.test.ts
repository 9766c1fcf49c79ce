import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { everyView, openView } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Every view in German: what Galley itself has answered aside (names, titles, its messages), no English is left.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 60, told: true })
})
afterAll(() => stage.stop())

const catalogue: Record<string, string[]> = JSON.parse(readFileSync('dashboard/languages/de.json', 'utf8'))

/** Words of which German has none. */
const english = /\b(the|and|of|you|your|with|this|is|ago|yesterday|it)\b/i

it.each(everyView)('$name', async (view) => {
  const { page, answers } = await opened(view)
  expect(await page.evaluate('document.documentElement.lang')).toBe('de')
  const texts = (await page.evaluate(whatIsSaid)) as string[]
  expect(texts.length).toBeGreaterThan(3)
  const said = (await Promise.all(answers)).join('\n')
  const own = texts.filter((text) => !said.includes(JSON.stringify(text).slice(1, -1)))
  const left = own.filter(
    (text) => english.test(text) || (catalogue[text] !== undefined && catalogue[text][0] !== text),
  )
  expect(left).toEqual([])
  await page.close()
})

it('numbers are written as in German', async () => {
  const { page } = await opened({
    name: 'outcome',
    path: ({ notificationId }) => `/outcomes/${notificationId}`,
  })
  await page.getByText(/ · 1,4 s$/).waitFor()
  await page.close()
})

/** A view in a browser that speaks German, and what the API has answered it. */
async function opened(view: (typeof everyView)[number]) {
  const answers: Promise<string>[] = []
  const { page } = await openView(stage, view, {
    context: { locale: 'de-DE' },
    watch: (page) =>
      page.on('response', (response) => {
        // The stream has no end, and says nothing that is shown.
        if (response.url().includes('/v1/') && !response.url().endsWith('/v1/stream'))
          answers.push(response.text().catch(() => ''))
      }),
  })
  return { page, answers }
}

/** Texts of the page, and those that are in attributes, without what is code. */
const whatIsSaid = `(() => {
  const texts = new Set(document.title.split(' · '))
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('script, noscript, style, code, pre')) continue
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.add(element.getAttribute(name) ?? '')
    for (const node of element.childNodes) if (node.nodeType === 3) texts.add(node.data)
  }
  return [...texts].map((text) => text.trim()).filter((text) => text !== '')
})()`
