import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// What each role is shown: what it may do, and nothing that Galley would refuse.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 4, deliveries: 40 })
})
afterAll(() => stage.stop())

const heading = (name: string) => ({ name, level: 1 })
const notAllowed = { name: 'You are not allowed to see this' }

/** Lines of the navigation that only some have; `accounts` is the operator's alone. */
const limitedLines = ['Keys', 'Audit log', 'Accounts']

interface Seeing {
  role: string
  /** Limited to the first site. */
  limited?: boolean
  lines: string[]
  /** Buttons and links by which something is changed, and where they stand. */
  offered: Record<string, string[]>
}

const changes = {
  '/sites': ['Connect a site'],
  '/sources': ['Create a source'],
  '/outcomes': ['Add a recipient'],
}
const none = { '/sites': [], '/sources': [], '/outcomes': [] }

const seeing: Seeing[] = [
  { role: 'owner', lines: ['Keys', 'Audit log'], offered: changes },
  { role: 'manager', limited: true, lines: [], offered: { ...changes, '/sites': [] } },
  { role: 'editor', lines: [], offered: none },
]

describe.each(seeing)('$role, limited: $limited', ({ role, limited, lines, offered }) => {
  it('sees the views that it may see, and what it may change in them', async () => {
    const key = await stage.keyOf({
      name: `${role} of a test`,
      role,
      ...(limited && { site_ids: stage.siteIds.slice(0, 1) }),
    })
    const { page, wrong } = await stage.open('/', { key })
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('link', { name: 'Sites' }).waitFor()
    for (const line of limitedLines)
      expect(await navigation.getByRole('link', { name: line, exact: true }).count(), line).toBe(
        lines.includes(line) ? 1 : 0,
      )
    for (const [path, names] of Object.entries(offered)) {
      await page.goto(`${stage.galley.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await shown(page)
      for (const name of changes[path as keyof typeof changes]) {
        const found = page.getByRole('link', { name }).or(page.getByRole('button', { name }))
        expect((await found.count()) > 0, `${name} at ${path}`).toBe(names.includes(name))
      }
    }
    for (const [line, path] of Object.entries({
      Keys: '/keys',
      'Audit log': '/audit',
      Accounts: '/accounts',
    })) {
      if (lines.includes(line)) continue
      await page.goto(`${stage.galley.url}${path}`)
      await page.getByRole('heading', notAllowed).waitFor()
    }
    expect(wrong).toEqual([])
  })
})

it('who is limited to a site sees no other, nor its deliveries', async () => {
  const [own = '', other = ''] = stage.siteIds
  const key = await stage.keyOf({ name: 'One site', role: 'manager', site_ids: [own] })
  const { page, wrong } = await stage.open('/sites', { key })
  await page.getByRole('link', { name: 'Tides weekly' }).waitFor()
  expect(await page.getByRole('link', { name: 'Harbour news' }).count()).toBe(0)
  await page.goto(`${stage.galley.url}/sites/${other}`)
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await page.goto(`${stage.galley.url}/deliveries/${stage.deliveryIds[1]}`)
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await page.goto(`${stage.galley.url}/deliveries/${stage.deliveryIds[0]}`)
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  expect(wrong).toEqual([])
})

it('who is limited to a site connects no others, and creates an address for that site', async () => {
  const [own = ''] = stage.siteIds
  const key = await stage.keyOf({ name: 'One site', role: 'manager', site_ids: [own] })
  const { page, wrong } = await stage.open('/', { key })
  for (const path of ['/', '/sites']) {
    if (path !== '/') await page.goto(`${stage.galley.url}${path}`)
    await shown(page)
    expect(await page.getByRole('link', { name: /^Import/ }).count(), path).toBe(0)
  }
  for (const path of ['/sites/import', '/welcome?connect=new']) {
    await page.goto(`${stage.galley.url}${path}`)
    await page.getByRole('heading', notAllowed).waitFor()
  }
  await page.goto(`${stage.galley.url}/welcome?site=${own}`)
  await page.getByRole('link', { name: 'Go to the site' }).waitFor()
  expect(await page.getByRole('link', { name: 'Connect another site' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Create the address' }).click()
  await page.getByText('Give this address to whatever sends your documents.', { exact: false }).waitFor()
  const { rows } = await stage.pool.query('SELECT site_ids FROM source')
  expect(rows).toEqual([{ site_ids: [own] }])
  expect(wrong).toEqual([])
})

it.each([
  {
    path: '/sources',
    opens: 'Create a source',
    creates: 'Create the address',
    made: 'Address for documents',
    fields: { Sender: 'Newsroom' },
  },
  {
    path: '/outcomes',
    opens: 'Add a recipient',
    creates: 'Add',
    made: 'Signing secret',
    fields: { 'Who is notified': 'Desk', 'Webhook address': 'https://example.com/hook' },
  },
])('who is limited to a site names it at $path, and is not told that all are meant', async (form) => {
  const key = await stage.keyOf({ name: 'One site', role: 'manager', site_ids: stage.siteIds.slice(0, 1) })
  const { page, wrong } = await stage.open(form.path, { key })
  await page.getByRole('button', { name: form.opens }).first().click()
  for (const [label, value] of Object.entries(form.fields))
    await page.getByLabel(label as string).fill(value as string)
  const sites = page.getByRole('group', { name: 'The sites that it is for' })
  await sites.getByRole('checkbox').first().waitFor()
  const panel = page.getByRole('region', { name: form.opens })
  expect(await panel.getByText(/leave empty|one of these labels/).count()).toBe(0)
  const create = panel.getByRole('button', { name: form.creates, exact: true })
  expect(await create.isDisabled()).toBe(true)
  await sites.getByRole('checkbox').first().check()
  await create.click()
  await page.getByText(form.made).first().waitFor()
  expect(wrong).toEqual([])
})

it('an editor acts on deliveries and changes no site', async () => {
  const key = await stage.keyOf({ name: 'An editor', role: 'editor' })
  const { page } = await stage.open(`/deliveries/${stage.deliveryIds[0]}`, { key })
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.goto(`${stage.galley.url}/sites/${stage.siteIds[0]}`)
  await page.getByRole('heading', heading('Tides weekly')).waitFor()
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  await page.goto(`${stage.galley.url}/welcome`)
  await page.getByRole('heading', notAllowed).waitFor()
})

it('who only sends documents is told what the key is for, and shown nothing', async () => {
  const key = await stage.keyOf({ name: 'A generator', role: 'source' })
  const { page, wrong } = await stage.open('/', { key })
  await page.getByRole('heading', notAllowed).waitFor()
  await page.getByText('has the role “Source”').waitFor()
  await page.goto(`${stage.galley.url}/deliveries`)
  await page.getByRole('heading', notAllowed).waitFor()
  expect(wrong).toEqual([])
})
