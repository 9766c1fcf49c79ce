import { afterAll, beforeAll, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Several tabs of one browser: they have one cookie, and what is done in one is seen in the others.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 4, deliveries: 20 })
})
afterAll(() => stage.stop())

/** Another tab of the same browser. */
async function tab({ context }: Awaited<ReturnType<Stage['open']>>, path: string) {
  const page = await context.newPage()
  await page.goto(`${stage.galley.url}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

it('who signs out in one tab is signed out in the other, and in again in both', async () => {
  const first = await stage.open('/sites')
  const other = await tab(first, '/deliveries')
  await first.page.getByRole('button', { name: /^Account:/ }).click()
  await first.page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.getByText('Your session has ended').waitFor()

  await first.page.getByLabel('API key').fill(stage.key)
  await first.page.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  expect(first.wrong).toEqual([])
})

it('who signs in as somebody else in one tab is that one in the other too', async () => {
  const key = await stage.keyOf({ name: 'Ann', role: 'editor' })
  const first = await stage.open('/sites')
  const other = await tab(first, '/sites')
  await other.getByRole('link', { name: 'Connect a site' }).waitFor()
  // As the page does it, without a click in between that the other tab could notice.
  await first.page.evaluate(
    `(async () => {
      await fetch('/v1/session', { method: 'POST', headers: { authorization: 'Bearer ${key}' } })
      setTimeout(() => location.reload())
    })()`,
  )
  await other.getByRole('link', { name: 'Connect a site' }).waitFor({ state: 'detached' })
  await other.getByRole('button', { name: /^Account:/ }).click()
  await other.getByText(/^Signed in with “Ann” .* role Editor$/).waitFor()
})

it('what is changed in one tab is seen in the other, without a click there', async () => {
  const path = `/sites/${stage.siteIds[1]}`
  const first = await stage.open(path)
  const other = await tab(first, path)
  await first.page.getByRole('button', { name: 'Pause' }).click()
  await other.getByRole('heading', { name: /^Paused since/ }).waitFor()
  await first.page.getByRole('button', { name: 'Undo' }).click()
  await other.getByRole('heading', { name: /^Paused since/ }).waitFor({ state: 'detached' })
  expect(first.wrong).toEqual([])
})

it('colours that are chosen in one tab are those of the other', async () => {
  const first = await stage.open('/sites')
  const other = await tab(first, '/sites')
  await shown(other)
  await first.page.getByRole('button', { name: /^Account:/ }).click()
  await first.page.getByLabel('Colours').selectOption('Dark')
  await other.locator('html[data-scheme="dark"]').waitFor()
})
