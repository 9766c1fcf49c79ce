import type { Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 40, told: true })
  await stage.pool.query(`UPDATE delivery SET title = 'The lighthouse keeper' WHERE id = $1`, [
    stage.deliveryIds[20],
  ])
})
afterAll(() => stage.stop())

it('Ctrl+K finds a delivery by its title and a site by its address, with the keyboard alone', async () => {
  const { page, wrong } = await stage.open('/keys')
  await page.getByRole('button', { name: 'Search everything' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('searchbox', { name: 'Search for a title' })
  await field.waitFor()
  await page.keyboard.type('lighthouse')
  await page.getByRole('link', { name: 'The lighthouse keeper' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/deliveries/${stage.deliveryIds[20]}`)
  await field.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await field.fill('site-11.example')
  await page.getByRole('link', { name: 'https://site-11.example' }).waitFor()
  await field.press('Enter')
  await page.waitForURL(`**/sites/${stage.siteIds[11]}`)
  await field.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await field.waitFor()
  await page.keyboard.press('Control+k')
  await field.waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Search everything (Ctrl+K)',
  )
  expect(wrong).toEqual([])
})

it('finds by an id, says where there is nothing, and Escape closes it', async () => {
  const { page, wrong } = await stage.open('/keys', { context: { viewport: { width: 320, height: 700 } } })
  await page.getByRole('button', { name: 'Search everything' }).click()
  const field = page.getByRole('searchbox', { name: 'Search for a title' })
  const links = page.locator('.g-find a')
  for (const [id, path] of [
    [stage.siteIds[2], 'sites'],
    [stage.deliveryIds[3], 'deliveries'],
    [stage.jobIds[0], 'documents'],
  ] as const) {
    await field.fill(id as string)
    await expect
      .poll(() =>
        links
          .first()
          .getAttribute('href')
          .catch(() => null),
      )
      .toBe(`/${path}/${id}`)
    expect(await links.count()).toBe(1)
  }
  await stage.pool.query(
    `INSERT INTO source (id, account_id, name, token_hash)
     SELECT uuidv7(), account_id, 'Sender ' || n, 'of sender ' || n FROM source, generate_series(1, 120) AS n
     WHERE name = 'Old generator'`,
  )
  for (const text of ['no such thing', '/sources/']) {
    await field.fill(text)
    await page.getByText(`Nothing found for “${text}”.`).waitFor()
  }
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })

  // Many newer ones come before it.
  await page.getByRole('button', { name: 'Search everything' }).click()
  await field.fill('old generator')
  await page.getByRole('link', { name: 'Old generator' }).click()
  const sources = page.getByRole('list', { name: 'Sources' }).getByRole('listitem')
  await sources.getByRole('heading', { name: 'Old generator' }).waitFor()
  expect(await sources.count()).toBe(1)
  await page.getByRole('link', { name: 'Show all' }).click()
  await sources.getByRole('heading', { name: 'Sender 120' }).waitFor()
  expect(wrong).toEqual([])
})

it('shows nothing that a result above it would move from under the pointer', async () => {
  const { page, wrong } = await stage.open('/keys')
  const held: Route[] = []
  await page.route('**/v1/sites?*', (route) => void held.push(route))
  await page.getByRole('button', { name: 'Search everything' }).click()
  const others = Promise.all(
    ['deliveries', 'sources'].map((kind) =>
      page.waitForResponse((response) => new URL(response.url()).pathname === `/v1/${kind}`),
    ),
  )
  const search = page.locator('.g-find')
  await search.getByRole('searchbox').fill('harbour')
  for (const answer of await others) await answer.finished()
  await search.getByText('Searching…').waitFor()
  expect(await search.getByRole('link').count()).toBe(0)
  for (const route of held) await route.continue()
  await search.getByRole('heading', { name: 'Deliveries' }).waitFor()
  expect(await search.getByRole('heading').allTextContents()).toEqual(['Sites', 'Deliveries'])
  expect(wrong).toEqual([])
})

it('says that Galley does not answer, and not that there is nothing', async () => {
  const { page } = await stage.open('/keys')
  await page.getByRole('button', { name: 'Search everything' }).click()
  const field = page.getByRole('searchbox', { name: 'Search for a title' })
  await field.waitFor()
  const comeBack = await stage.leave()
  await field.fill('lighthouse')
  const said = page.locator('.g-find').getByRole('status')
  await said.getByText('Check whether it is running').waitFor()
  await comeBack()
  await field.fill('lighthouse keeper')
  await page.getByRole('link', { name: 'The lighthouse keeper' }).waitFor()
  await expect.poll(() => said.textContent()).toBe('')
})
