import { Pool } from 'pg'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { sharedBrowser, signIn } from '../support/browser.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { type Amount, fillAccount } from './data.ts'

/** The pointer of a user, which counts. */
export class Pointer {
  clicks = 0

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }
}

export interface Stage {
  galley: TestGalley
  browser: Browser
  pool: Pool
  /** Of the role operator, with which {@link Stage.open} signs in. */
  key: string
  siteIds: string[]
  deliveryIds: string[]
  /** Of a look at what could be done with many of these. */
  bulkId: string | undefined
  jobIds: string[]
  /** Told three times, in vain; undefined where nothing was told. */
  notificationId: string | undefined
  /**
   * A page at an address, signed in, with nothing kept in its browser. The context is that of earlier tests, which has the
   * page's scripts; close it where a script was added to it.
   */
  open(path: string, options?: Opening): Promise<Seen>
  /** Makes another key of the account. */
  keyOf(requested: { name: string; role: string; site_ids?: string[] }): Promise<string>
  /** The key of an account in which nothing is yet, the same each time. */
  newcomer(): Promise<string>
  /** Ends Galley, and returns what starts it again: at the same address, with what it knew. */
  leave(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

export interface Opening {
  /** Another key; null to be signed in with none. */
  key?: string | null
  context?: Parameters<Browser['newContext']>[0]
  /** One in which somebody is signed in already, and stays so. */
  within?: BrowserContext
  /** Told of the page before it goes anywhere. */
  watch?: (page: Page) => void
}

/** A page, and what it has done that no page may. */
export interface Seen {
  page: Page
  context: BrowserContext
  /** Errors, offences against the policy, and requests to other origins, so far. */
  wrong: string[]
}

/** A Galley with Chromium before it; with sites and deliveries where an amount is given. */
export async function startStage(amount?: Amount, config: Partial<Config> = {}): Promise<Stage> {
  const key = createApiKey()
  const identity = { adminKey: key, secretKeys: generateSecretKey(), ...config }
  const database = await freshDatabase()
  const galley = await startTestGalley(identity, database)
  const pool = new Pool({ connectionString: galley.connectionString, max: 2 })
  const filled = amount
    ? await fillAccount(pool, amount)
    : { siteIds: [], deliveryIds: [], bulkId: undefined, jobIds: [], notificationId: undefined }
  const browser = await sharedBrowser()
  let made: Promise<string> | undefined
  const kept = new Map<string, Kept>()
  const stage: Stage = {
    galley,
    browser,
    pool,
    key,
    ...filled,
    async keyOf(requested) {
      const { status, body } = await stage.galley.call<{ data: { key: string } }>(
        'POST',
        '/v1/keys',
        requested,
      )
      if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(body)}`)
      return body.data.key
    },
    newcomer() {
      made ??= stage.galley
        .call<{ data: { key: string } }>('POST', '/v1/accounts', { name: 'Newcomer' })
        .then(({ body }) => body.data.key)
      return made
    },
    async leave() {
      await stage.galley.stop()
      const port = Number(new URL(galley.url).port)
      return async () => {
        stage.galley = await startTestGalley({ ...identity, port }, database)
      }
    },
    async open(path, { key: other = key, context: options, within, watch: told } = {}) {
      const context = within ?? (await keptContext(browser, kept, options))
      const page = within === undefined ? await onlyPage(context, galley.url) : await context.newPage()
      if (other !== null && within === undefined) await signIn(context, galley.url, other)
      const wrong = watch(page, galley.url)
      told?.(page)
      await page.goto(`${galley.url}${path}`)
      return { page, context, wrong }
    },
    async stop() {
      for (const context of browser.contexts()) {
        for (const page of context.pages()) await closeQuietly(page)
        await context.close()
      }
      await pool.end()
      await stage.galley.stop()
      await database.drop()
    },
  }
  return stage
}

/** Opens a folded group of fields. */
export const unfold = (page: Page, title: string): Promise<void> =>
  page.locator('summary').filter({ hasText: title }).click()

/** Carries the next request to an address out, and loses the answer. */
export const loseOneAnswer = (page: Page, address: string): Promise<unknown> =>
  page.route(
    address,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )

interface Kept {
  context: BrowserContext
  /** The test that used it last. */
  test: string | undefined
}

/** A context of an earlier test where there is one; another where the same test opens a second page. */
async function keptContext(
  browser: Browser,
  kept: Map<string, Kept>,
  options: Opening['context'],
): Promise<BrowserContext> {
  const test = expect.getState().currentTestName
  const name = JSON.stringify(options ?? {})
  const found = kept.get(name)
  const isOpen = found !== undefined && browser.contexts().includes(found.context)
  if (isOpen && found.test !== test) {
    found.test = test
    return found.context
  }
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
  if (!isOpen) kept.set(name, { context, test })
  return context
}

/** A new page, in a context that is online, in which no other is open any more and nothing is stored. The process goes on. */
async function onlyPage(context: BrowserContext, url: string): Promise<Page> {
  await context.setOffline(false)
  const earlier = context.pages()
  const page = await context.newPage()
  for (const one of earlier) {
    if (one.url().startsWith(`${url}/`)) await one.evaluate('localStorage.clear()')
    await closeQuietly(one)
  }
  await context.clearCookies()
  return page
}

/** A request that a test still holds back would otherwise fail after that test, as an error of none. */
async function closeQuietly(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
}

function watch(page: Page, url: string): string[] {
  const wrong: string[] = []
  page.on('console', (message) => {
    const text = message.text()
    // A refusal that the page answers for with words is no mistake of it.
    if (/Failed to load resource: the server responded with a status of 4\d\d/.test(text)) return
    if (message.type() === 'error' || /Content Security Policy/.test(text)) wrong.push(text)
  })
  page.on('pageerror', (error) => wrong.push(String(error.stack ?? error.message)))
  page.on('request', (request) => {
    const address = request.url()
    if (!address.startsWith(`${url}/`) && !/^(data|blob|about):/.test(address)) wrong.push(`asked ${address}`)
  })
  return wrong
}
