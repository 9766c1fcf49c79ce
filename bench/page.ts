import { join } from 'node:path'
import { Pool } from 'pg'
import type { BrowserContext, Page } from 'playwright-core'
import { createApiKey, generateSecretKey } from '../src/secrets/keyring.ts'
import { type Amount, fillAccount } from '../test/dashboard/data.ts'
import { launchBrowser, signIn } from '../test/support/browser.ts'
import type { Benchmark, Figure, Result, Scale } from './benchmark.ts'
import { type GalleyProcess, startGalley } from './support/galley.ts'
import type { Postgres } from './support/postgres.ts'
import { median } from './support/rounds.ts'

/** About the processor of a cheap telephone. */
const SLOWED = 4

/** Milliseconds within which a view is to be usable. */
const USABLE_MS = 1_500

const SCALES = {
  full: {
    pace: { slowed: SLOWED, settled: 2_000, written: 1_000, times: 3 },
    few: { sites: 3, deliveries: 30 },
    many: { sites: 300, deliveries: 50_000 },
    rounds: 7,
  },
  quick: {
    pace: { slowed: 1, settled: 0, written: 0, times: 1 },
    few: { sites: 3, deliveries: 30 },
    many: { sites: 30, deliveries: 300 },
    rounds: 1,
  },
} satisfies Record<Scale, { few: Amount; many: Amount; rounds: number; pace: Pace }>

export const page: Benchmark = {
  title: 'The page',
  baseline: 'the same page of an account with 3 sites and 30 deliveries',
  run,
}

/** Milliseconds, one for each round. */
type Taken = Record<keyof Measures, number[]>

async function run(scale: Scale, postgres: Postgres): Promise<Result> {
  const { few, many, rounds, pace } = SCALES[scale]
  const small = await measure(scale, postgres, { amount: few, rounds, pace })
  const large = await measure(scale, postgres, { amount: many, rounds, pace })
  const target = { measured: 'below', limit: USABLE_MS } as const
  const beside = (figure: string, which: keyof Taken): Figure => {
    const [measured, baseline] = [median(large[which]), median(small[which])]
    return { figure, unit: 'milliseconds', measured, baseline, ratio: measured / baseline, target }
  }
  return {
    figures: [
      beside('first view usable, nothing kept by the browser', 'fresh'),
      beside('first view usable, its files kept', 'kept'),
      beside('list of deliveries usable, its files kept', 'deliveries'),
      beside('list of sites usable, its files kept', 'sites'),
    ],
    conditions: [
      `${many.sites} sites and ${many.deliveries.toLocaleString('en')} deliveries in three weeks; medians of ${rounds} rounds.`,
      `Headless Chromium with its processor slowed ${pace.slowed} times, Galley and PostgreSQL on the same machine and not slowed; no network between.`,
      'Usable: from the beginning of the navigation to the frame in which the numbers of the activity stand on the start, or the first row in a list.',
      'Its files kept: from the third time on, when Chromium has also kept what it compiled of them. Each time in a new window, after the 2 s in which that loads pages of its own.',
    ],
  }
}

interface Measured {
  amount: Amount
  rounds: number
  pace: Pace
}

async function measure(scale: Scale, postgres: Postgres, { amount, rounds, pace }: Measured): Promise<Taken> {
  const key = createApiKey()
  const connectionString = await postgres.database()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: generateSecretKey(),
    GALLEY_ADMIN_KEY: key,
    GALLEY_REQUESTS_PER_MINUTE: '0',
  }
  const galley = await startGalley(scale, settings, join(postgres.folder, 'page.log'))
  try {
    await fill(connectionString, amount)
    return await rounded(galley, key, rounds, pace)
  } finally {
    await galley.stop()
  }
}

async function fill(connectionString: string, amount: Amount): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 })
  try {
    await fillAccount(pool, amount)
  } finally {
    await pool.end()
  }
}

async function rounded({ url }: GalleyProcess, key: string, rounds: number, pace: Pace): Promise<Taken> {
  const chromium = await launchChromium(url, key, pace)
  try {
    const taken: Taken = { fresh: [], kept: [], deliveries: [], sites: [] }
    for (let round = 0; round < rounds; round += 1) {
      const measured = await chromium.round()
      for (const name of Object.keys(taken) as (keyof Taken)[]) taken[name].push(measured[name])
    }
    return taken
  } finally {
    await chromium.close()
  }
}

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
  /** How often a view is opened until it is measured: the browser keeps its files, and what it has compiled of them. */
  times: number
}

/** What is there when a view is usable. */
const usable = {
  start: '.g-outcomes li',
  row: '.g-table tbody tr',
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
  const openedAgain = async (path: string, selector: string) => {
    for (let time = 1; time < pace.times; time += 1) await openedOnce(path, selector)
    return openedOnce(path, selector)
  }
  const fresh = await openedOnce('/', usable.start)
  const kept = await openedAgain('/', usable.start)
  const sites = await openedAgain('/sites', usable.row)
  const deliveries = await openedAgain('/deliveries', usable.row)
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
