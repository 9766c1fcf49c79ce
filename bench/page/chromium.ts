import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { launchBrowser, signIn } from '../../test/support/browser.ts'

/** Milliseconds of one round. */
export interface Measures {
  /** Until the start is usable, of a browser that was never here. */
  fresh: number
  /** The same, with the files that it has kept. */
  kept: number
  deliveries: number
  sites: number
  /** What the main thread was busy with for another filter, and until its rows were seen. */
  filter: number
  filterSeen: number
  /** Until all of its rows are seen: those that lie below the window come last. */
  filterWhole: number
  /** The first of these where the processor is not slowed. */
  filterUnslowed: number
}

export interface Chromium {
  round(): Promise<Measures>
  close(): Promise<void>
}

export interface Pace {
  /** How many times slower the processor of the page is made. */
  slowed: number
  /** Milliseconds in which a new window settles: it loads pages of the browser's own, which take the processor from ours. */
  settled: number
  /** Milliseconds in which what was compiled is written down, some time after it ran. */
  written: number
}

/** Milliseconds after which no other filter will be seen any more. */
const SEEN_MS = 60_000

/** Milliseconds after which no more rows will come. */
const WHOLE_MS = 1_000

/** What is there when a view is usable. */
const usable = {
  start: '.g-outcomes li',
  row: '.dataviews-view-table tbody tr',
} as const

/** @throws Error where there is no Chromium */
export async function launchChromium(url: string, key: string, pace: Pace): Promise<Chromium> {
  const browser = await launchBrowser()
  return {
    async round() {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      try {
        await signIn(context, url, key)
        return await measureIn(context, url, pace)
      } finally {
        await context.close()
      }
    },
    close: () => browser.close(),
  }
}

async function measureIn(context: BrowserContext, url: string, pace: Pace): Promise<Measures> {
  const openedOnce = async (path: string, selector: string) => {
    const { page, after } = await opened(context, url + path, selector, pace)
    await page.waitForTimeout(pace.written)
    await page.close()
    return after
  }
  const fresh = await openedOnce('/', usable.start)
  await openedOnce('/', usable.start)
  const kept = await openedOnce('/', usable.start)
  // Twice for their own files: the browser keeps them, and what it has compiled of them, as it is every other time.
  for (const path of ['/sites', '/sites', '/deliveries', '/deliveries']) await openedOnce(path, usable.row)
  const sites = await openedOnce('/sites', usable.row)
  const slowed = await opened(context, `${url}/deliveries`, usable.row, pace)
  const { busy: filter, seen: filterSeen, whole: filterWhole } = await filtered(slowed)
  await slowed.page.close()
  const unslowed = await opened(context, `${url}/deliveries`, usable.row, { ...pace, slowed: 1 })
  const { busy: filterUnslowed } = await filtered(unslowed)
  await unslowed.page.close()
  return { fresh, kept, sites, deliveries: slowed.after, filter, filterSeen, filterWhole, filterUnslowed }
}

interface Opened {
  page: Page
  session: CDPSession
  /** Milliseconds from the beginning of the navigation to the frame in which it was usable. */
  after: number
}

async function opened(
  context: BrowserContext,
  address: string,
  selector: string,
  { slowed, settled }: Pace,
): Promise<Opened> {
  const page = await context.newPage()
  await page.waitForTimeout(settled)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowed })
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.addInitScript(whenThere(selector))
  await page.goto(address)
  return { page, session, after: Number(await page.evaluate('window.usableAfter')) }
}

/** Keeps as `usableAfter` when something of the selector was first drawn. */
const whenThere = (selector: string) => `window.usableAfter = new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)}) === null) return
    changes.disconnect()
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
  }
  const changes = new MutationObserver(look)
  changes.observe(document, { childList: true, subtree: true })
})`

/** Chooses another status, as somebody does, and waits for the rows. */
async function filtered({ page, session }: Opened): Promise<{ busy: number; seen: number; whole: number }> {
  await page.getByRole('button', { name: 'Status', exact: true }).first().click()
  const option = page.getByRole('option', { name: 'Cancelled' })
  // Playwright looks at the page before it clicks, which is not what is measured: it points first.
  await option.hover()
  await quiet(page)
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
  }
  // It is there before the click: what is not awaited may come after it.
  await page.evaluate(listenFor('Cancelled'))
  const before = await busy()
  await page.mouse.down()
  await page.mouse.up()
  const after = Number(await page.evaluate('window.seenAfter'))
  return {
    busy: (await busy()) - before,
    seen: after,
    whole: Number(await page.evaluate('window.wholeAfter')),
  }
}

/**
 * Keeps as `seenAfter` the milliseconds from the next click until every row has this word in it, and as `wholeAfter` when the last of
 * them came; nobody looks for that before the first are seen, so that it costs these nothing.
 */
const listenFor = (word: string) => `window.seenAfter = new Promise((resolve, reject) => {
  const rowsSeen = () => document.querySelectorAll(${JSON.stringify(usable.row)}).length
  let whole
  window.wholeAfter = new Promise((resolve) => (whole = resolve))
  const untilWhole = (clicked, count, last) => requestAnimationFrame(() => {
    const now = performance.now() - clicked
    const rows = rowsSeen()
    if (rows === count && now - last > ${WHOLE_MS}) whole(last)
    else untilWhole(clicked, rows, rows === count ? last : now)
  })
  setTimeout(() => reject(new Error('No rows of only ${word} were seen.')), ${SEEN_MS})
  addEventListener('click', () => {
    const clicked = performance.now()
    const look = () => {
      const rows = [...document.querySelectorAll(${JSON.stringify(usable.row)})]
      if (rows.length === 0 || !rows.every((row) => row.textContent.includes(${JSON.stringify(word)}))) return
      changes.disconnect()
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const after = performance.now() - clicked
        resolve(after)
        untilWhole(clicked, rows.length, after)
      }))
    }
    const changes = new MutationObserver(look)
    changes.observe(document.body, { childList: true, subtree: true, characterData: true })
  }, { capture: true, once: true })
})
undefined`

/** Until nothing is left of what was begun before. */
const quiet = (page: Page) => page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))')
