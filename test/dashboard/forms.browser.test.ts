import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// What forms send when something is changed: that, as it was typed, and nothing else.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 3, deliveries: 3 })
})
afterAll(() => stage.stop())

const COMMA = 'Press, local'

const patch = async (path: string, body: object) => {
  const { status } = await stage.galley.call('PATCH', path, body)
  expect(status).toBe(200)
}

const read = async (path: string) => (await stage.galley.call<{ data: object }>('GET', path)).body.data

/** Makes something, and says where it is read and changed. */
async function make(list: string, body: object): Promise<string> {
  const { status, body: made } = await stage.galley.call<{ data: { id: string } }>('POST', list, body)
  expect(status).toBe(201)
  return `${list}/${made.data.id}`
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('form.g-form').waitFor({ state: 'detached' })
}

it('a site that is renamed keeps its labels, one with a comma too, and what others changed meanwhile', async () => {
  const at = `/v1/sites/${stage.siteIds[0]}`
  await patch(at, { labels: [COMMA, 'news'] })
  const { page, context } = await stage.open(`/sites/${stage.siteIds[0]}`)
  await page.getByRole('button', { name: 'Change the settings' }).click()
  const labels = page.getByLabel('Labels', { exact: true })
  expect(await labels.inputValue()).toBe('"Press, local", news')
  const seen = page.waitForResponse((response) => response.url().includes(at) && response.ok())
  await patch(at, { labels: [COMMA, 'night'] })
  await seen
  await page.getByLabel('Name', { exact: true }).fill('Harbour')
  await save(page)
  expect(await read(at)).toMatchObject({ name: 'Harbour', labels: [COMMA, 'night'] })

  await page.getByRole('button', { name: 'Change the settings' }).click()
  await labels.fill('"Press, local", "Sport, local", weekly')
  await save(page)
  expect(await read(at)).toMatchObject({ labels: [COMMA, 'Sport, local', 'weekly'] })
  await context.close()
})

it('a source that is renamed stays limited to what it was', async () => {
  const at = await make('/v1/sources', { name: 'Generator', limits: { labels: [COMMA] } })
  const { page, context, wrong } = await stage.open('/sources')
  await page.getByText('Sites with the label "Press, local"').waitFor()
  await page.getByRole('button', { name: 'Change: Generator' }).click()
  await patch(at, { limits: { labels: [COMMA], highest_status: 'pending' } })
  await page.getByLabel('Sender').fill('Robot')
  await save(page)
  expect(await read(at)).toMatchObject({
    name: 'Robot',
    limits: { labels: [COMMA], highest_status: 'pending' },
  })

  await page.getByRole('button', { name: 'Change: Robot' }).click()
  await page.getByLabel('What a document may become').selectOption('Drafts only')
  await save(page)
  expect(await read(at)).toMatchObject({ limits: { labels: [COMMA], highest_status: 'draft' } })
  expect(wrong).toEqual([])
  await context.close()
})

it('a receiver that is renamed is told of what it was', async () => {
  const at = await make('/v1/receivers', { name: 'Desk', url: 'https://example.com/hook', labels: [COMMA] })
  const { page, context, wrong } = await stage.open('/outcomes')
  await page.getByRole('button', { name: 'Change: Desk' }).click()
  await patch(at, { url: 'https://example.com/other', events: ['delivery.failed'] })
  await page.getByLabel('Who is notified').fill('Night desk')
  await save(page)
  expect(await read(at)).toMatchObject({
    name: 'Night desk',
    url: 'https://example.com/other',
    events: ['delivery.failed'],
    labels: [COMMA],
  })
  expect(wrong).toEqual([])
  await context.close()
})
