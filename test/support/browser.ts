import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from './tiers.ts'

/**
 * Without a window, and asking for nothing but what a page asks for. The pages of a context share one process, and none is
 * started in advance: to start one takes as long as to show a page.
 */
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync ' +
  '--renderer-process-limit=1 --disable-site-isolation-trials --disable-features=SpareRendererForSitePerProcess'

/** Milliseconds; Playwright's own 30 s are too few for 5 MB of input on a slow machine. */
const PATIENCE = 120_000

/**
 * Starts the Chromium that is installed, or that `GALLEY_TEST_CHROMIUM` names.
 * @param more arguments of its command line
 * @throws Error where there is none
 */
export async function launchBrowser(...more: string[]): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined)
    throw new Error('This needs a Chromium: install one, or name it in GALLEY_TEST_CHROMIUM')
  const browser = await chromium.launch({ executablePath, args: [...FLAGS.split(' '), ...more] })
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE))
  return browser
}

/** Vitest may load this module again for each file. */
const ofThisWorker = globalThis as { galleyTestBrowser?: Promise<Browser> }

/** The browser that all files of a worker share: close the contexts. It ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  ofThisWorker.galleyTestBrowser ??= launchBrowser()
  return ofThisWorker.galleyTestBrowser
}

/** Gives a browser the cookie of a session, as signing in on the page does. */
export async function signIn(context: BrowserContext, url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  const value = /^galley=([0-9a-f]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1]
  if (value === undefined) throw new Error(`signing in failed: ${answer.status}`)
  await context.addCookies([{ name: 'galley', value, url, httpOnly: true, sameSite: 'Strict' }])
}

/**
 * What axe-core finds wrong in what a page shows, a text for each element; frames are left out.
 * @param rules of axe-core; all of them where none is named
 */
export async function findViolations(page: Page, ...rules: string[]): Promise<string[]> {
  // The selectors take a third of the time, and the whole answer, some megabytes, as long as the look.
  const options = {
    ...{ iframes: false, resultTypes: ['violations'], selectors: false },
    ...(rules.length > 0 && { runOnly: rules }),
  }
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n${failureSummary}`),
  )
}
