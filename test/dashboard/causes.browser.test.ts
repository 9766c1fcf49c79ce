import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// What the start offers beside a cause that goes away when its sites are connected again.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 0 })
})
afterAll(() => stage.stop())

const heading = (name: string) => ({ name, level: 1 })

/** Leaves deliveries to each of so many sites held, with this code; the sites are in the same trouble. */
async function hold(code: string, sites: number, ofEach = 1): Promise<void> {
  const error = { code, message: 'WordPress does not accept the application password.' }
  const ids = stage.siteIds.slice(0, sites)
  await stage.pool.query(
    'UPDATE site SET trouble = $1, paused_until = NULL, stopped_at = NULL WHERE id = ANY ($2)',
    [error, ids],
  )
  await stage.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, error)
     SELECT uuidv7(), account_id, id, gen_random_uuid(), gen_random_uuid(), 'Tides', 'held', $1
     FROM site, generate_series(1, $3) WHERE id = ANY ($2)`,
    [error, ids, ofEach],
  )
}

beforeEach(async () => {
  await stage.pool.query('DELETE FROM delivery')
  await stage.pool.query('UPDATE site SET trouble = NULL')
})

it('one site is connected again where its cause leads to, and the address can be loaded again', async () => {
  await hold('password_wrong', 1)
  const { page, context, wrong } = await stage.open('/')
  const cause = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem')
  await cause.getByRole('link', { name: 'Connect again', exact: true }).click()
  await page.getByRole('heading', heading('Tides weekly')).waitFor()
  const panel = page.getByRole('region', { name: 'Connect the site again' })
  await panel.waitFor()
  const focused = () => page.evaluate('document.activeElement?.textContent')
  await expect.poll(focused).toBe('Connect the site again')
  await page.reload()
  await panel.getByRole('button', { name: 'Cancel' }).press('Enter')
  await panel.waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('')
  expect(await page.evaluate('document.activeElement !== document.body')).toBe(true)
  expect(wrong).toEqual([])
  await context.close()
})

it('several sites are listed, these alone, and each is connected again from there', async () => {
  await hold('password_wrong', 2)
  const { page, context, wrong } = await stage.open('/')
  await page.getByRole('link', { name: 'Connect 2 sites again' }).click()
  await page.getByText('the application password. It may belong to another user').waitFor()
  const table = page.getByRole('region', { name: 'Sites', exact: true })
  await table.getByText('2 sites', { exact: true }).waitFor()
  await table
    .getByRole('row', { name: /Harbour news/ })
    .getByRole('button', { name: 'Actions' })
    .click()
  await page.getByRole('menuitem', { name: 'Connect again' }).click()
  await page.getByRole('heading', heading('Harbour news')).waitFor()
  await page.getByRole('region', { name: 'Connect the site again' }).waitFor()
  await page.goBack()
  await stage.pool.query('UPDATE site SET trouble = NULL')
  await page.reload()
  await page.getByRole('heading', { name: 'No site has this problem now' }).waitFor()
  await page.getByRole('link', { name: 'Show all' }).click()
  await table.getByText('3 sites', { exact: true }).waitFor()
  expect(wrong).toEqual([])
  await context.close()
})

it('many deliveries are counted as people write it', async () => {
  await hold('password_wrong', 1, 1200)
  const { page, context, wrong } = await stage.open('/')
  await page.getByRole('link', { name: '1,200 Waits for you' }).waitFor()
  await page.getByRole('link', { name: 'Show 1,200 deliveries' }).click()
  await page
    .getByRole('region', { name: 'Deliveries', exact: true })
    .getByText('1,200 deliveries', { exact: true })
    .waitFor()
  expect(wrong).toEqual([])
  await context.close()
})

it('is not offered where it would not help, nor to whoever may not', async () => {
  await hold('post_changed', 1)
  const { page, context, wrong } = await stage.open('/')
  await page.getByRole('link', { name: 'Show 1 delivery' }).waitFor()
  const offered = page.getByRole('link', { name: /^Connect/ })
  expect(await offered.count()).toBe(0)
  await context.close()

  await hold('password_wrong', 1)
  const key = await stage.keyOf({ name: 'Editor', role: 'editor' })
  const editor = await stage.open('/', { key })
  await editor.page.getByRole('link', { name: 'Show 1 delivery' }).nth(1).waitFor()
  expect(await editor.page.getByRole('link', { name: /^Connect/ }).count()).toBe(0)
  await editor.page.goto(`${stage.galley.url}/sites/${stage.siteIds[0]}?connect=again`)
  await editor.page.getByRole('heading', heading('Tides weekly')).waitFor()
  expect(await editor.page.getByRole('region', { name: 'Connect the site again' }).count()).toBe(0)
  expect([...wrong, ...editor.wrong]).toEqual([])
  await editor.context.close()
})
