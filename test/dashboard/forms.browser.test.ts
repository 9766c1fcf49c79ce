import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage, unfold } from './stage.ts'

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
  const { page } = await stage.open(`/sites/${stage.siteIds[0]}`)
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
})

it('a source that is renamed stays limited to what it was', async () => {
  const at = await make('/v1/sources', { name: 'Generator', limits: { labels: [COMMA] } })
  const { page, wrong } = await stage.open('/sources')
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
  await unfold(page, 'Limits')
  await page.getByLabel('What a document may become').selectOption('Drafts only')
  await save(page)
  expect(await read(at)).toMatchObject({ limits: { labels: [COMMA], highest_status: 'draft' } })
  expect(wrong).toEqual([])
})

it('a receiver that is renamed is told of what it was', async () => {
  const at = await make('/v1/receivers', { name: 'Desk', url: 'https://example.com/hook', labels: [COMMA] })
  const { page, wrong } = await stage.open('/outcomes')
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
})

it('the sites that a receiver is limited to are named by one request', async () => {
  const at = await make('/v1/receivers', {
    ...{ name: 'Three', url: 'https://example.com/three', site_ids: stage.siteIds },
  })
  const { rows } = await stage.pool.query<{ name: string }>('SELECT name FROM site')
  const asked: string[] = []
  const { page, wrong } = await stage.open('/outcomes', {
    watch: (page) => page.on('request', (request) => asked.push(request.url())),
  })
  for (const { name } of rows) await page.getByText(name).first().waitFor()
  expect(asked.filter((url) => url.includes('/v1/sites?site_id='))).toHaveLength(1)
  expect(wrong).toEqual([])
  await stage.galley.call('DELETE', at)
})

it('the defaults of a source are stored, and shown again', async () => {
  const defaults = { fields: { rating: 4, tags: ['a'] }, format: 'aside' }
  const at = await make('/v1/sources', { name: 'Newsroom', defaults })
  const { page, wrong } = await stage.open('/sources')
  await page.getByRole('button', { name: 'Change: Newsroom' }).click()
  await page.getByText('Post format, Custom fields').click()
  await page.getByLabel('Author').fill('Ada Lovelace')
  await page.getByLabel('Post format').selectOption('')
  await page.getByLabel('Comments').selectOption('Not allowed')
  await page.getByLabel('Parent page').fill('12')
  await page.getByLabel('Hide from search engines').selectOption('Yes')
  await page.getByRole('button', { name: 'Add a taxonomy' }).click()
  await page.getByLabel('Taxonomy', { exact: true }).fill('genre')
  await page.getByLabel('Terms', { exact: true }).fill('Essay, "Tides, high"')
  await save(page)
  expect(await read(at)).toMatchObject({
    defaults: {
      ...{ author: 'Ada Lovelace', comments: 'closed', parent: 12, seo: { noindex: true } },
      ...{ taxonomies: { genre: ['Essay', 'Tides, high'] }, fields: { rating: 4, tags: ['a'] } },
    },
  })
  await page.getByRole('button', { name: 'Change: Newsroom' }).click()
  await unfold(page, 'More fields')
  expect(await page.getByLabel('Author').inputValue()).toBe('Ada Lovelace')
  expect(await page.getByLabel('Terms', { exact: true }).inputValue()).toBe('Essay, "Tides, high"')
  await page.getByRole('button', { name: 'Remove: rating' }).click()
  await page.getByRole('button', { name: 'Remove: genre' }).click()
  await page.getByLabel('Parent page').fill('')
  await save(page)
  const { defaults: now } = (await read(at)) as { defaults: object }
  expect(now).toEqual({
    ...{ author: 'Ada Lovelace', comments: 'closed', seo: { noindex: true }, fields: { tags: ['a'] } },
  })
  expect(wrong).toEqual([])
})

it('a refused default opens the fields, and is told beside its own', async () => {
  await make('/v1/sources', { name: 'Refused' })
  const { page } = await stage.open('/sources')
  await page.getByRole('button', { name: 'Change: Refused' }).click()
  await unfold(page, 'More fields')
  await page.getByLabel('Order among pages').fill('first')
  await unfold(page, 'More fields')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('expected a whole number').first().waitFor()
  expect(await page.getByLabel('Order among pages').getAttribute('aria-invalid')).toBe('true')
})

it('of two values of one name none is lost in silence, nor one without a name, in a folded group either', async () => {
  const at = await make('/v1/sources', { name: 'Twice', limits: { highest_status: 'publish' } })
  const { page, wrong } = await stage.open('/sources')
  await page.getByRole('button', { name: 'Change: Twice' }).click()
  await unfold(page, 'More fields')
  for (const [place, value] of [
    [0, '4'],
    [1, '5'],
  ] as const) {
    await page.getByRole('button', { name: 'Add a field' }).click()
    await page.getByLabel('Field', { exact: true }).nth(place).fill('rating')
    await page.getByLabel('Value', { exact: true }).nth(place).fill(value)
  }
  await page.getByText('“rating” is there twice.').waitFor()
  await unfold(page, 'More fields')
  await page.getByRole('button', { name: 'Save' }).click()
  const second = page.getByLabel('Field', { exact: true }).nth(1)
  await expect.poll(() => second.evaluate((field) => field === document.activeElement)).toBe(true)
  await second.fill('')
  await page.getByText('A value has no name.').waitFor()
  await second.fill('stars')
  expect(await page.getByText('undefined').count()).toBe(0)
  await save(page)
  expect(await read(at)).toMatchObject({ defaults: { fields: { rating: '4', stars: '5' } } })
  expect(wrong).toEqual([])
})

it('a document that names no site goes nowhere until it is said where', async () => {
  await make('/v1/sources', { name: 'Nowhere' })
  const { page } = await stage.open('/sources')
  await page.getByRole('button', { name: 'Change: Nowhere' }).click()
  for (const place of ['Goes to one site', 'Goes to all sites with a label']) {
    await page.getByLabel('A document that names no site').selectOption(place)
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled(), place).toBe(true)
  }
  await page.getByLabel('It goes to sites with one of these labels').fill('news')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('form.g-form').waitFor({ state: 'detached' })
})

it('names and default fields of a site are stored, and shown again', async () => {
  const at = `/v1/sites/${stage.siteIds[1]}`
  await patch(at, { settings: { category_aliases: { Sea: 'Ocean' } } })
  const { page } = await stage.open(`/sites/${stage.siteIds[1]}`)
  await page.getByRole('button', { name: 'Change the settings' }).click()
  await unfold(page, 'Names on this site')
  await page.getByRole('button', { name: 'Add an author' }).click()
  const authors = page.getByRole('group', { name: 'Authors with another name on this site' })
  await authors.getByLabel('In documents', { exact: true }).fill('A. Lovelace')
  await authors.getByLabel('On this site', { exact: true }).fill('ada')
  await page.getByRole('button', { name: 'Remove: Sea' }).click()
  const added = page.getByRole('group', { name: 'Terms that every post gets' })
  await added.getByRole('button', { name: 'Add a taxonomy' }).click()
  await added.getByLabel('Taxonomy', { exact: true }).fill('tags')
  await added.getByLabel('Terms', { exact: true }).fill('press')
  await unfold(page, 'What a document gets that leaves it out')
  await page.getByLabel('Visibility').selectOption('Private')
  await save(page)
  expect(await read(at)).toMatchObject({
    settings: {
      ...{ author_aliases: { 'A. Lovelace': 'ada' }, category_aliases: {}, always_add: { tags: ['press'] } },
      defaults: { visibility: 'private' },
    },
  })
  await page.getByText('A. Lovelace: ada').waitFor()
})
