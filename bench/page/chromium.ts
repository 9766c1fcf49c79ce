import type { BrowserContext, Page } from 'playwright-core'
import { launchBrowser, signIn } from '../../test/support/browser.ts'

/** Milliseconds of one round. */
export interface Measures {
  /** Until the start is usable, of a browser that was never here. */
  fresh: number
  /** The same, with the files that it has kept. */
  kept: number
  deliveries: number
  sites: number
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
  const deliveries = await openedOnce('/deliveries', usable.row)
  return { fresh, kept, sites, deliveries }
}

interface Opened {
  page: Page
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
  await page.addInitScript(whenThere(selector))
  await page.goto(address)
  return { page, after: Number(await page.evaluate('window.usableAfter')) }
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
