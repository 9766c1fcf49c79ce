import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findViolations } from '../support/browser.ts'
import { type Stage, startStage } from './stage.ts'

// What the page says of posts after they were delivered, and where those are that wait for review.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 0 })
})
afterAll(() => stage.stop())
beforeEach(() => stage.pool.query('DELETE FROM delivery'))

interface Stored {
  siteIds?: readonly string[]
  title?: string
  modifiedAgo?: string | null
  by?: string | null
  publishAgo?: string | null
}

/** Adds a delivered post to each of these sites. */
async function add(
  status: string,
  { siteIds = stage.siteIds.slice(0, 1), title = 'Tides', by = null, ...times }: Stored = {},
) {
  const { rows } = await stage.pool.query<{ id: string }>(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, post_id, post_status, post_url,
       post_modified_at, post_modified_by, post_publish_at, post_seen_at)
     SELECT uuidv7(), account_id, id, gen_random_uuid(), gen_random_uuid(), $2, 'delivered', 7, $3, 'https://blog.example/tides/',
       now() - $4::interval, $5, now() - $6::interval, now()
     FROM site WHERE id = ANY ($1) RETURNING id`,
    [siteIds, title, status, times.modifiedAgo ?? null, by, times.publishAgo ?? null],
  )
  return rows[0]?.id as string
}

it('Start counts what waits for review, and leads to it with the counts of each site', async () => {
  const { page, wrong } = await stage.open('/')
  await page.getByText('Nothing. Every document is on its way or delivered.').waitFor()
  expect(await page.getByText('wait for review').count()).toBe(0)
  const [first = '', second = ''] = stage.siteIds
  await add('draft', { siteIds: [first, second] })
  await add('pending', { siteIds: [first] })
  await add('publish', { siteIds: [first] })
  const card = page.getByRole('region', { name: '3 posts on 2 sites wait for review' })
  await card.getByRole('link', { name: 'Show 3 posts' }).click()
  const table = page.getByRole('region', { name: 'Deliveries', exact: true })
  await table.getByText('3 deliveries', { exact: true }).waitFor()
  expect(await table.getByText('Draft, waits for review').count()).toBe(2)
  const review = page.getByRole('region', { name: '3 posts on 2 sites wait for review' })
  const { rows } = await stage.pool.query('SELECT name FROM site WHERE id = ANY ($1) ORDER BY id = $2 DESC', [
    [first, second],
    first,
  ])
  expect(await review.getByRole('paragraph').textContent()).toBe(`${rows[0].name} 2 · ${rows[1].name} 1`)
  expect(await findViolations(page)).toEqual([])
  await review.getByRole('link', { name: rows[1].name }).click()
  await table.getByText('1 delivery', { exact: true }).waitFor()
  await stage.pool.query('DELETE FROM delivery WHERE site_id = $1', [first])
  await page.goto(`${stage.galley.url}/`)
  await page.getByRole('region', { name: '1 post on 1 site waits for review' }).waitFor()
  expect(wrong).toEqual([])
})

it('says who published, changed and removed a post, and how long ago', async () => {
  const twoHours = '130 minutes'
  await add('publish', { title: 'One', by: 'Ben Editor', modifiedAgo: twoHours, publishAgo: twoHours })
  await add('publish', { title: 'Two', by: 'Ben Editor', modifiedAgo: twoHours, publishAgo: '73 hours' })
  await add('publish', { title: 'Three', publishAgo: '73 hours' })
  await add('trash', { title: 'Four', modifiedAgo: twoHours })
  await add('deleted', { title: 'Five' })
  await add('future', { title: 'Six', publishAgo: twoHours })
  const { page, wrong } = await stage.open('/deliveries')
  const table = page.getByRole('region', { name: 'Deliveries', exact: true })
  const stateOf = async (title: string) => {
    const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: title, exact: true }) })
    return row.getByRole('cell').allTextContents()
  }
  await table.getByText('6 deliveries', { exact: true }).waitFor()
  expect(await stateOf('One')).toContain('Published by Ben Editor, 2 hours ago')
  expect(await stateOf('Two')).toContain('Published 3 days ago · Changed by Ben Editor, 2 hours ago')
  expect(await stateOf('Three')).toContain('Published 3 days ago')
  expect(await stateOf('Four')).toContain('Moved to the trash 2 hours ago')
  expect(await stateOf('Five')).toContain('Deleted')
  expect(await stateOf('Six')).toContain('Due 2 hours ago, and still scheduled')
  expect(wrong).toEqual([])
})

it('a delivery that is looked at says what became of its post as soon as Galley notices', async () => {
  const id = await add('draft')
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  await page.getByText('Draft, waits for review').waitFor()
  await stage.pool.query(
    `WITH line AS (
       INSERT INTO delivery_step (delivery_id, step, outcome, detail) VALUES ($1, 'follow', 'published', 'by Ben Editor')
     )
     UPDATE delivery SET post_status = 'publish', post_modified_at = now() - interval '130 minutes', post_modified_by = 'Ben Editor',
       post_publish_at = now() - interval '130 minutes' WHERE id = $1`,
    [id],
  )
  await page.getByText('Published by Ben Editor, 2 hours ago').waitFor()
  await page.getByText('The post was published.').waitFor()
  await page.getByText('By Ben Editor', { exact: true }).waitFor()
  await stage.pool.query('UPDATE delivery SET post_modified_by = NULL, post_status = $2 WHERE id = $1', [
    id,
    'trash',
  ])
  await page.getByText('Moved to the trash 2 hours ago').waitFor()
  await page.getByText('WordPress does not say by whom').waitFor()
  expect(wrong).toEqual([])
})
