import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Opening, Seen, Stage } from './stage.ts'

interface EveryView {
  /** Of its picture. */
  name: string
  path(stage: Stage): string
  /** Null where nobody is signed in; else of an account that has something, or of one in which nothing is yet. */
  key?: null | 'newcomer'
}

/** Every view: what all of them have to be is tried on each. A new one has a line here, beside those of the same key. */
export const everyView: EveryView[] = [
  { name: 'sign-in', path: () => '/', key: null },
  { name: 'start', path: () => '/' },
  { name: 'sites', path: () => '/sites' },
  { name: 'site', path: ({ siteIds }) => `/sites/${siteIds[3]}` },
  { name: 'site-import', path: () => '/sites/import' },
  { name: 'deliveries', path: () => '/deliveries' },
  { name: 'delivery', path: ({ deliveryIds }) => `/deliveries/${deliveryIds[0]}` },
  { name: 'bulk', path: () => '/bulk' },
  { name: 'bulk-job', path: ({ bulkId }) => `/bulk/${bulkId}` },
  { name: 'preview', path: () => '/preview' },
  { name: 'documents', path: () => '/documents' },
  { name: 'document', path: ({ jobIds }) => `/documents/${jobIds[0]}` },
  { name: 'document-under-way', path: ({ jobIds }) => `/documents/${jobIds[1]}` },
  { name: 'document-failed', path: ({ jobIds }) => `/documents/${jobIds[2]}` },
  { name: 'document-new', path: () => '/documents/new' },
  { name: 'audio-new', path: () => '/documents/new-audio' },
  { name: 'image-new', path: () => '/documents/new-image' },
  { name: 'sources', path: () => '/sources' },
  { name: 'outcomes', path: () => '/outcomes' },
  { name: 'outcome', path: ({ notificationId }) => `/outcomes/${notificationId}` },
  { name: 'keys', path: () => '/keys' },
  { name: 'audit', path: () => '/audit' },
  { name: 'accounts', path: () => '/accounts' },
  { name: 'settings', path: () => '/settings' },
  { name: 'welcome', path: () => '/welcome' },
  { name: 'not-found', path: () => '/nowhere' },
  { name: 'start-empty', path: () => '/', key: 'newcomer' },
  { name: 'sites-empty', path: () => '/sites', key: 'newcomer' },
  { name: 'deliveries-empty', path: () => '/deliveries', key: 'newcomer' },
  { name: 'bulk-empty', path: () => '/bulk', key: 'newcomer' },
  { name: 'documents-empty', path: () => '/documents', key: 'newcomer' },
  { name: 'sources-empty', path: () => '/sources', key: 'newcomer' },
  { name: 'outcomes-empty', path: () => '/outcomes', key: 'newcomer' },
]

/** With which key one of them is opened. */
async function keyFor(stage: Stage, key: EveryView['key']): Promise<Pick<Opening, 'key'>> {
  if (key === undefined) return {}
  return { key: key === null ? null : await stage.newcomer() }
}

const opened = new WeakMap<Stage, { key: EveryView['key']; seen: Seen }>()

/**
 * Opens one of them and waits until it has what it shows. Those of one stage and key are opened in one page, which has the
 * scripts compiled: leave it open. `wrong` is emptied for the next.
 *
 * @param opening the same for all views of a stage
 */
export async function openView(
  stage: Stage,
  { path, key }: EveryView,
  opening: Omit<Opening, 'key' | 'within'> & { context: { viewport: { width: number; height: number } } },
): Promise<Seen> {
  const last = opened.get(stage)
  if (last?.key !== key || last === undefined) {
    const seen = await stage.open(path(stage), { ...opening, ...(await keyFor(stage, key)) })
    opened.set(stage, { key, seen })
    await shown(seen.page)
    return seen
  }
  const { page, wrong } = last.seen
  wrong.splice(0)
  await page.setViewportSize(opening.context.viewport)
  await page.goto(`${stage.galley.url}${path(stage)}`)
  await shown(page)
  return last.seen
}

/** Resolves when a view shows all that it asked for. A page always has a request open: the stream of what changes. */
export async function shown(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor()
  let looks = 0
  // What has come may ask for more: not before nothing is waited for at several looks.
  const calm = async () => {
    const waiting = await page.locator('.waiting').count()
    looks = waiting === 0 ? looks + 1 : 0
    return looks
  }
  await expect.poll(calm, { interval: 50 }).toBeGreaterThanOrEqual(4)
}
