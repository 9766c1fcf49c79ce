import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these programs that is installed, as a shell would find it. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/**
 * The Chromium that `GALLEY_TEST_CHROMIUM` names, or one that is installed. The headless shell comes first: a page takes a
 * third of the processor time there, because no window is drawn and no page of the browser's own is loaded.
 */
export const findChromium = (): string | undefined =>
  process.env.GALLEY_TEST_CHROMIUM ??
  findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A project of vitest: test files that need the same. */
export interface Tier {
  /** What they need or do, in words. */
  what: string
  include: string[]
  exclude?: string[]
  /** Why they cannot run on this machine; undefined where they can. */
  lacking?: () => string | undefined
}

/** Folders that are suites of their own, whatever the names in them. */
const suites = ['end-to-end', 'faults', 'hostile'].map((folder) => `test/${folder}/**`)

const named = (name: string, exclude = suites) => ({ include: [`test/**/*.${name}.test.ts`], exclude })

const withoutChromium = () =>
  findChromium() === undefined ? 'no Chromium is installed, nor named in GALLEY_TEST_CHROMIUM' : undefined

const programs = ['nginx', 'openssl', 'systemctl', 'useradd']
const notRoot = () => {
  if (process.getuid?.() !== 0) return 'needs root'
  const missing = programs.filter((name) => findProgram(name) === undefined)
  return missing.length > 0 ? `not installed: ${missing.join(', ')}` : undefined
}

/**
 * A file's tier is in its name: without one it is pure, and with `.db` before `.test.ts` it has a database. The suites have
 * folders. In the order in which they run.
 */
export const tiers = {
  pure: {
    what: 'nothing but the code',
    include: ['test/**/+([!.]).test.ts'],
    exclude: suites,
  },
  db: { what: 'a database', ...named('db') },
  'end-to-end': {
    what: 'a WordPress, from a webhook to the post, in short',
    include: ['test/end-to-end/*.test.ts'],
    exclude: ['test/end-to-end/*.*.test.ts'],
  },
  slow: { what: 'starts, kills and restarts programs, encodes, waits, or measures', ...named('slow') },
  wordpress: {
    what: 'a WordPress',
    ...named('wordpress', ['test/faults/**', 'test/hostile/**']),
  },
  browser: { what: 'a Chromium', ...named('browser'), lacking: withoutChromium },
  'wordpress-browser': {
    what: 'a Chromium and a WordPress',
    ...named('wordpress-browser', ['test/faults/**', 'test/hostile/**']),
    lacking: withoutChromium,
  },
  system: { what: "an operator's machine: root, nginx, systemd", ...named('system'), lacking: notRoot },
  faults: {
    what: 'breaks requests, and kills processes and databases, a sample of each: all with npm run test:faults',
    include: ['test/faults/**/*.test.ts'],
    // minutes each, and most as root
    exclude: process.env.GALLEY_FAULTS === 'long' ? [] : ['test/**/*.long.test.ts'],
  },
  hostile: {
    what: 'hostile requests, documents and sites, a sample of each: all with npm run test:hostile',
    include: ['test/hostile/**/*.test.ts'],
  },
} satisfies Record<string, Tier>

export type TierName = keyof typeof tiers

/** The files of several tiers, the suites among them included. */
export function filesOf(names: TierName[]): Pick<Tier, 'include' | 'exclude'> {
  const chosen: Tier[] = names.map((name) => tiers[name])
  const folders = names.map((name) => `test/${name}/**`)
  return {
    include: chosen.flatMap(({ include }) => include),
    exclude: chosen.flatMap(({ exclude = [] }) => exclude).filter((folder) => !folders.includes(folder)),
  }
}

/** What `npm test` runs. */
export const everyday: TierName[] = ['pure', 'db', 'end-to-end']

export const tierNames = Object.keys(tiers) as TierName[]

/** Why a tier cannot run on this machine; undefined where it can. */
export const lackingFor = (name: TierName): string | undefined => (tiers[name] as Tier).lacking?.()
