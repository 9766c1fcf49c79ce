import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wordPressFailures } from '../../src/wordpress/failures/catalogue.ts'
import { everyView, openView, shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Every view in German, and from right to left at the same time (`?rtl`; no such language is shipped). No English is left,
// except in what Galley has answered (names, titles, messages), and nothing lies outside of the window. Names and titles come
// from outside: here they are markup, and wherever the page shows them, they stay text.

const hostile = `"><img src=x onerror="window.got='img'"><script>window.got='script'</script><style>*{display:none}</style><iframe srcdoc="<b>"></iframe><form action=//x.test>{{7*7}}javascript:alert(1)`

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 60, told: true })
  await stage.pool.query('UPDATE site SET name = $1, labels = ARRAY[$1]', [hostile])
  await stage.pool.query(
    `UPDATE site SET trouble = jsonb_build_object('code', 'unreachable', 'message', $1::text) WHERE trouble IS NOT NULL`,
    [hostile],
  )
  await stage.pool.query(
    `UPDATE delivery SET title = $1, error = CASE WHEN error IS NOT NULL THEN error || jsonb_build_object('message', $1::text) END`,
    [hostile],
  )
  await stage.pool.query('UPDATE account SET name = $1', [hostile])
})
afterAll(() => stage.stop())

const catalogue: Record<string, string[]> = JSON.parse(readFileSync('dashboard/languages/de.json', 'utf8'))

/** What came to be out of a name. */
const made = `({
  got: window.got ?? null,
  made: document.querySelectorAll('img[src="x"], iframe, body style:not(:empty), form[action*="x.test"]').length,
})`

/** Words of which German has none. */
const english = /\b(the|and|of|you|your|with|this|is|ago|yesterday|it)\b/i

it.each(everyView)('$name', async (view) => {
  const turned = { ...view, path: (of: Stage) => `${view.path(of)}?rtl` }
  const { page, answers, wrong } = await opened(turned)
  expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual([
    'de',
    'rtl',
  ])
  const texts = (await page.evaluate(whatIsSaid)) as string[]
  expect(texts.length).toBeGreaterThan(3)
  const said = (await Promise.all(answers)).join('\n')
  const own = texts.filter((text) => !said.includes(JSON.stringify(text).slice(1, -1)))
  const left = own.filter(
    // A button is called by what it does and by the title of what it does it to.
    (text) =>
      english.test(text.replace(/: Why the tide .*/, '')) ||
      (catalogue[text] !== undefined && catalogue[text][0] !== text),
  )
  expect(left).toEqual([])
  expect(await page.evaluate(made)).toEqual({ got: null, made: 0 })
  // The others are of an account in which nothing is yet.
  if (view.key === undefined) expect(await page.evaluate('document.body.textContent')).toContain(hostile)
  expect(await page.evaluate(outside), '1440 px').toEqual([])
  for (const width of [1000, 768, 320]) {
    await page.setViewportSize({ width, height: 900 })
    await shown(page)
    expect(await page.evaluate(outside), `${width} px`).toEqual([])
  }
  expect(wrong).toEqual([])
})

it('numbers are written as in German', async () => {
  const { page } = await opened({
    name: 'outcome',
    path: ({ notificationId }) => `/outcomes/${notificationId}`,
  })
  await page.getByText(/ · 1,4 s$/).waitFor()
  await stage.pool.query('UPDATE notification_attempt SET took_ms = 119600 WHERE took_ms = 1400')
  await page.getByText(/ · 2 min 0 s$/).waitFor()
})

it('what the server says of a failure, and what to do, is German too', async () => {
  const { happened, todo } = wordPressFailures.password_wrong
  const facts = { site: 'blog.example', doing: 'reading its index', status: 401 }
  await stage.pool.query(
    `UPDATE delivery SET error = error || jsonb_build_object('message', $1::text) WHERE error IS NOT NULL`,
    [`${happened(facts)} ${todo}`],
  )
  const { page } = await opened({ name: 'deliveries', path: () => '/deliveries?status=failed' })
  const german =
    'blog.example nimmt das Anwendungspasswort für diesen Benutzernamen nicht an. Vielleicht gehört es'
  await page.getByText(german).first().waitFor()
})

let answers: Promise<string>[] = []

/** A view in a browser that speaks German, and what the API has answered it. */
async function opened(view: (typeof everyView)[number]) {
  answers = []
  const { page, wrong } = await openView(stage, view, {
    context: { locale: 'de-DE', viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
    watch: (page) =>
      page.on('response', (response) => {
        // The stream has no end, and says nothing that is shown.
        if (response.url().includes('/v1/') && !response.url().endsWith('/v1/stream'))
          answers.push(response.text().catch(() => ''))
      }),
  })
  return { page, answers, wrong }
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

it('the navigation stands at the right, the account at the left, and tables begin at the right', async () => {
  const { page } = await stage.open('/sites?rtl', {
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
  const title = page.getByRole('link', { name: hostile, exact: true }).first()
  expect(
    await title.evaluate((link) => getComputedStyle(link.closest('th') as HTMLElement).textAlign),
  ).toMatch(/^(right|start|-webkit-auto)$/)
})

/** Elements that reach beyond the window at its one edge or the other, but for what is there for the ears alone. */
const outside = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const { left, right, width, height } = element.getBoundingClientRect()
  if (left >= -1 && right <= document.documentElement.clientWidth + 1) return []
  if (width < 2 || height < 2 || !element.checkVisibility({ visibilityProperty: true })) return []
  if (element.closest('.hidden-text, [aria-hidden="true"], .g-skip, svg')) return []
  for (let around = element.parentElement; around; around = around.parentElement)
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(around).overflowX)) return []
  return [element.tagName + '.' + element.className + ' ' + Math.round(left) + ' to ' + Math.round(right)]
}).concat(document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth ? ['the page scrolls'] : [])`
