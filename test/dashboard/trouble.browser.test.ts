import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// A delivery that does not go on: its page says what happened, on which site, and what to do next, and has the way to it.

let stage: Stage
let id: string
beforeAll(async () => {
  stage = await startStage({ sites: 1, deliveries: 1 })
  id = stage.deliveryIds[0] as string
})
afterAll(() => stage.stop())

beforeEach(() => stage.pool.query('UPDATE site SET stopped_at = NULL, trouble = NULL, trouble_since = NULL'))

const stops = (status: string, code: string | null, message = '') =>
  stage.pool.query('UPDATE delivery SET status = $1, error = $2, due_at = $3', [
    status,
    code && { code, message, step: 'fill' },
    status === 'queued' ? new Date(Date.now() + 86_400_000) : null,
  ])

const told = 'section.g-told'

it('one whose site refuses the password leads to where that is connected again', async () => {
  const happened = 'site-0.example does not accept the application password for this username.'
  const todo =
    'It may belong to another user, or have been revoked: connect the site again with the user’s login name and a new application password.'
  await stops('held', 'password_wrong', `${happened} ${todo}`)
  await stage.pool.query('UPDATE site SET trouble = $1, trouble_since = now(), paused_until = NULL', [
    { code: 'password_wrong', message: happened },
  ])
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  const section = page.locator(told)
  await section.getByText(/^Waiting for the site’s owner since \S+$/).waitFor()
  await section.getByRole('heading', { name: 'What to do' }).waitFor()
  expect(await section.getByText(happened).allTextContents()).toEqual([happened])
  expect(await section.getByText(todo).allTextContents()).toEqual([todo])
  await section.getByRole('button', { name: 'Try again' }).waitFor()
  await section.getByRole('link', { name: 'Connect again' }).click()
  await page.getByRole('region', { name: 'Connect the site again' }).waitFor()
  expect(wrong).toEqual([])
})

it('one that a setting of its site stops leads to the settings, open', async () => {
  await stops('held', 'setting_refused', 'The site does not accept its author.')
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  await page.getByText('change that setting of the site in Galley').waitFor()
  await page.getByRole('link', { name: 'Change the settings' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.getByText('The site did not say what it has:').waitFor()
  // That what the site has could not be asked: no password of it is known.
  expect(wrong.filter((line) => !/status of 503/.test(line))).toEqual([])
})

it('one that has failed says what to do, and is tried again there', async () => {
  await stops('failed', 'upload_quota_full', 'The upload space is used up.')
  const { page } = await stage.open(`/deliveries/${id}`)
  const section = page.locator(told)
  await section.getByText("Free some, or raise the site's quota.").waitFor()
  expect(await section.getByRole('link', { name: /^Connect/ }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  await section.getByRole('button', { name: 'Try again' }).click()
  // Its event is not there, which Galley says.
  await page.getByText('no longer kept. Send it again.').waitFor()
})

it('one whose site is paused is let go there', async () => {
  await stops('queued', null)
  await stage.pool.query('UPDATE site SET stopped_at = now(), trouble = NULL, paused_until = NULL')
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  const section = page.locator(told)
  await section.getByText('Waiting: the site is paused').waitFor()
  await section.getByText('Resume the site, and this delivery goes on.').waitFor()
  await section.getByRole('button', { name: 'Resume' }).click()
  await section.getByText('Resume the site, and this delivery goes on.').waitFor({ state: 'detached' })
  const { rows } = await stage.pool.query('SELECT stopped_at FROM site')
  expect(rows).toEqual([{ stopped_at: null }])
  expect(wrong).toEqual([])
})

it('an editor, who changes no site, reads the same and is offered no site', async () => {
  await stops('held', 'password_wrong', 'The password is refused.')
  const key = await stage.keyOf({ name: 'Editor', role: 'editor' })
  const { page, wrong } = await stage.open(`/deliveries/${id}`, { key })
  await page.getByText('It may belong to another user').waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  expect(await page.getByRole('link', { name: 'Connect again' }).count()).toBe(0)
  expect(wrong).toEqual([])
})

it('one whose site was removed is connected again under the id that it had', async () => {
  await stops('held', 'site_unknown', 'The site is no longer connected. Connect it again under this id.')
  const { rows } = await stage.pool.query('DELETE FROM site RETURNING id')
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  await page.getByRole('link', { name: 'Connect the site' }).click()
  await page.getByRole('button', { name: 'With an application password' }).click()
  await page.getByLabel('Address of the site').fill('http://127.0.0.1:9')
  await page.getByLabel('User name in WordPress').fill('galley')
  await page.getByLabel('Application password').fill('x')
  const asked = page.waitForRequest(
    (request) => request.method() === 'POST' && /\/v1\/sites/.test(request.url()),
  )
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  expect((await asked).postDataJSON()).toMatchObject({ id: rows[0].id })
  expect(wrong).toEqual([])
})
