import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// What a screen reader is told of the tables, by Chromium's own accessibility tree, and where the focus is.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 18, deliveries: 40 })
})
afterAll(() => stage.stop())

interface Node {
  nodeId: string
  parentId?: string
  childIds?: string[]
  ignored: boolean
  role?: { value: string }
  name?: { value: string }
}

/** What is in the tree below the first node of this role: role and name, without what is left out of it. */
async function heard(page: Page, role: string): Promise<{ role: string; name: string; within: string[] }[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as { nodes: Node[] }
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const top = nodes.find((node) => !node.ignored && node.role?.value === role)
  if (top === undefined)
    throw new Error(`there is no ${role}: ${nodes.map((node) => node.role?.value).join(' ')}`)
  const below = (node: Node, within: string[]): { role: string; name: string; within: string[] }[] => {
    const own = node.ignored ? [] : [{ role: node.role?.value ?? '', name: node.name?.value ?? '', within }]
    const inside = node.ignored ? within : [...within, node.role?.value ?? '']
    return [...own, ...(node.childIds ?? []).flatMap((id) => below(byId.get(id) as Node, inside))]
  }
  return below(top, [])
}

/** Titles of which a part is not seen. */
const cutOff = `[...document.querySelectorAll('.g-title-cell a')]
  .filter((title) => title.scrollWidth > title.clientWidth + 1 || title.scrollHeight > title.clientHeight + 1)
  .map((title) => title.textContent)`

/** The rows of a table that are seen whole without scrolling, and the header of its widest column. */
const measured = `(() => {
  const headers = [...document.querySelectorAll('.g-table thead th')]
  const width = (cell) => cell.getBoundingClientRect().width
  return {
    whole: [...document.querySelectorAll('.g-table tbody tr')]
      .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length,
    widest: headers.sort((one, other) => width(other) - width(one))[0].innerText,
  }
})()`

describe.each([
  ['/sites', 'Sites', ['Select all', 'Site', 'State', 'Problem', 'Waiting', 'Last delivery', 'Actions']],
  [
    '/deliveries',
    'Deliveries',
    ['Select all', 'Document', 'Status', 'Reason', 'Site', 'In WordPress', 'Received', 'Actions'],
  ],
])('%s', (path, label, columns) => {
  it('is a table whose parts have names, with 15 rows on a laptop, and a list of named items where it is narrow', async () => {
    const { page } = await stage.open(path, { context: { viewport: { width: 1440, height: 900 } } })
    await page.getByRole('table', { name: label }).getByRole('row').nth(1).waitFor()
    await shown(page)
    const tree = await heard(page, 'table')
    expect(tree[0]?.name).toBe(label)
    expect(tree.filter(({ role }) => role === 'columnheader').map(({ name }) => name)).toEqual(columns)
    const rows = tree.filter(({ role }) => role === 'row')
    const headers = tree.filter(({ role }) => role === 'rowheader')
    expect(headers).toHaveLength(rows.length - 1)
    for (const { name } of headers) expect(name).not.toBe('')
    const cells = tree.filter(({ role }) => role === 'cell')
    expect(cells).toHaveLength(headers.length * (columns.length - 1))
    for (const { within } of [...cells, ...headers]) expect(within).toContain('row')

    const { whole, widest } = (await page.evaluate(measured)) as { whole: number; widest: string }
    expect(whole).toBeGreaterThanOrEqual(15)
    expect(['Reason', 'Problem'], 'its sentences have the widest column').toContain(widest)

    await page.setViewportSize({ width: 320, height: 900 })
    const list = page.getByRole('list', { name: label })
    await list.waitFor()
    const snapshot = await list.ariaSnapshot()
    const items = await list.getByRole('listitem').count()
    expect(items).toBeGreaterThan(3)
    expect(snapshot.match(/^ {2}- listitem/gm)).toHaveLength(items)
    expect(snapshot).not.toMatch(/gridcell|- row|pressed/)
    expect(await page.evaluate(cutOff), 'titles that are not whole').toEqual([])
  })
})

describe('the focus', () => {
  it('stays with a button that is disabled while its action is under way', async () => {
    const { page } = await stage.open(`/sites/${stage.siteIds[0]}`)
    const button = page.getByRole('button', { name: 'Pause' })
    await button.focus()
    await page.keyboard.press('Enter')
    const other = page.getByRole('button', { name: 'Resume' })
    await other.waitFor()
    await expectFocus(page)
  })

  it('goes to what is next where the button is gone with its action', async () => {
    const { page } = await stage.open(`/deliveries/${stage.deliveryIds[4]}`)
    await page.getByRole('button', { name: 'Cancel' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('main').getByText('Cancelled', { exact: true }).waitFor()
    await expectFocus(page)
  })

  it('is led to a view that is opened, and seen wherever the keyboard goes', async () => {
    const { page } = await stage.open('/sites')
    await shown(page)
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    for (let n = 0; n < 25; n++) {
      await page.keyboard.press('Tab')
      const seen = (await page.evaluate(outlined)) as { seen: boolean; what: string }
      expect(seen.seen, seen.what).toBe(true)
    }
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sources' }).click()
    await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })
})

/** The focus is somewhere within the content, on something that can be acted on. */
async function expectFocus(page: Page): Promise<void> {
  const active: Locator = page.locator('main :focus')
  await active.waitFor()
  expect(await active.evaluate((element) => element.matches('a[href], button, input, select'))).toBe(true)
}

const focused = (page: Page) => page.evaluate('document.activeElement.textContent')

/** Whether what has the focus shows it: by an outline, a shadow or a border that it has only then. */
const outlined = `(() => {
  const element = document.activeElement
  const around = element.parentElement
  const look = () => [around, ...around.querySelectorAll('*')].map((one) => {
    const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(one)
    return [outlineStyle, outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor].join(' ')
  }).join('|')
  const within = look()
  element.blur()
  const without = look()
  element.focus()
  return { seen: within !== without, what: element.outerHTML.slice(0, 200) }
})()`
