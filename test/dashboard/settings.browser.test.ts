import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver } from '../notifications/stage.ts'
import { completed } from '../support/webhooks.ts'
import { loseOneAnswer, type Stage, startStage, unfold } from './stage.ts'

// Sources, keys, outcomes and the audit log in Chromium, against a real service and database.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 4, deliveries: 8 })
})
afterAll(() => stage.stop())

const HOSTILE = '<img src=x onerror="document.title=1"><style>*{display:none}</style>'

const heading = (name: string) => ({ name, level: 1 })

/** The line of a list that has this name. */
const line = (page: Page, list: string, name: string) =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: name })

describe('sources', () => {
  it('say what becomes of documents that leave it out, and keep the defaults that have no field', async () => {
    const defaults = { post_status: 'pending', format: 'aside' }
    const made = await stage.galley.call<{ data: { id: string } }>('POST', '/v1/sources', {
      ...{ name: 'Newsroom', defaults },
    })
    const { page, wrong } = await stage.open('/sources')
    await page.getByRole('button', { name: 'Change: Newsroom' }).click()
    await unfold(page, 'What a document gets that leaves it out')
    await page.getByLabel('A document of which something would be missing').selectOption('hold')
    await page.getByLabel('Its documents are written in').selectOption('markdown')
    await page.getByLabel('For search engines, the original').selectOption('Its first public post')
    await page.getByLabel('Tags').fill('moon, tide')
    await page.getByLabel('Post status').selectOption('')
    await page.getByRole('button', { name: 'Save' }).click()
    const now = async () => {
      const { body } = await stage.galley.call<{ data: { defaults: object } }>(
        'GET',
        `/v1/sources/${made.body.data.id}`,
      )
      return body.data.defaults
    }
    await expect.poll(now).toEqual({
      ...{ on_loss: 'hold', canonical: 'first', content_format: 'markdown' },
      ...{ tags: ['moon', 'tide'], format: 'aside' },
    })
    expect(wrong).toEqual([])
  })

  it('say where documents go that name no site', async () => {
    const made = await stage.galley.call<{ data: { id: string } }>('POST', '/v1/sources', {
      name: 'Automation',
    })
    const { page, wrong } = await stage.open('/sources')
    const now = async () => {
      const { body } = await stage.galley.call<{ data: { defaults: object } }>(
        'GET',
        `/v1/sources/${made.body.data.id}`,
      )
      return body.data.defaults
    }
    const change = async (choose: () => Promise<void>) => {
      await page.getByRole('button', { name: 'Change: Automation' }).click()
      await choose()
      await page.getByRole('button', { name: 'Save' }).click()
    }
    const select = page.getByLabel('A document that names no site')
    await change(async () => {
      await select.selectOption('labels')
      await page.getByLabel('It goes to sites with one of these labels').fill('sea, "Press, local"')
    })
    await expect.poll(now).toEqual({ labels: ['sea', 'Press, local'] })
    await change(async () => {
      await select.selectOption('site')
      await page.getByRole('group', { name: 'It goes to' }).getByLabel('Tides weekly').check()
    })
    await expect.poll(now).toEqual({ site_id: stage.siteIds[0] })
    await change(async () => void (await select.selectOption('')))
    await expect.poll(now).toEqual({})
    expect(wrong).toEqual([])
  })

  it('shows the address and the secret of a new one this once, and both are right', async () => {
    const { page, wrong } = await stage.open('/sources')
    await page.getByRole('button', { name: 'Create a source' }).first().click()
    await page.getByLabel('Sender').fill('Generator')
    await unfold(page, 'Limits')
    await page.getByLabel('What a document may become').selectOption('Drafts only')
    await page.getByRole('checkbox', { name: 'Tides weekly' }).check()
    await unfold(page, 'Signatures')
    await page.getByLabel('Require signatures').check()
    await page.getByRole('button', { name: 'Create the address' }).click()

    const once = page.getByRole('region', { name: 'Generator' })
    const codes = once.locator('code')
    const [url, secret] = [await codes.nth(0).textContent(), await codes.nth(1).textContent()]
    expect(secret).toMatch(/^whsec_/)
    const answer = await fetch(`${stage.galley.url}${new URL(url as string).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(answer.status, 'it is there, and wants a signature').toBe(401)

    await line(page, 'Sources', 'Generator').getByText('Drafts only').waitFor()
    await line(page, 'Sources', 'Generator').getByText('Tides weekly').waitFor()
    await once.getByRole('button', { name: 'I have saved it' }).click()
    await page.reload()
    await line(page, 'Sources', 'Generator').waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(wrong).toEqual([])
  })

  it('pauses one and undoes it, gives it another address, and removes it after asking', async () => {
    const { body } = await stage.galley.call('POST', '/v1/sources', { name: 'Leaves' })
    const first = (body as unknown as { data: { url: string } }).data.url
    const { page, wrong } = await stage.open('/sources')
    const leaves = line(page, 'Sources', 'Leaves')
    await page.getByRole('button', { name: 'Pause: Leaves' }).click()
    await leaves.getByText('Paused by you').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await leaves.getByText('Receives').waitFor()

    await page.getByRole('button', { name: 'New address: Leaves' }).click()
    await leaves.getByRole('button', { name: 'New address' }).click()
    const shown = page.getByRole('region', { name: 'Leaves' }).locator('code')
    await shown.waitFor()
    expect(await shown.textContent()).not.toBe(first)

    await page.getByRole('button', { name: 'Remove: Leaves' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove: Leaves' }).click()
    await leaves.getByRole('button', { name: 'Remove' }).click()
    await leaves.waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })

  it('a new address whose answer was lost is asked for again, and the one in use goes on', async () => {
    const { body } = await stage.galley.call<{ data: { id: string; url: string } }>('POST', '/v1/sources', {
      name: 'Kept',
    })
    const { page } = await stage.open('/sources')
    await loseOneAnswer(page, `**/v1/sources/${body.data.id}/rotate`)
    const kept = line(page, 'Sources', 'Kept')
    const rotate = async () => {
      await page.getByRole('button', { name: 'New address: Kept' }).click()
      await kept.getByRole('button', { name: 'New address' }).click()
    }
    await rotate()
    await page.getByText('Check whether it is running').first().waitFor()
    await rotate()
    await page.getByRole('region', { name: 'Kept' }).locator('code').waitFor()
    const sent = await fetch(body.data.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...completed(), delivery: { id: stage.siteIds[0] } }),
    })
    expect(sent.status).toBeLessThan(300)
  })

  it('keeps what is shown once, whatever else is pressed, until it is put away', async () => {
    await stage.galley.call('POST', '/v1/sources', { name: 'Rotated' })
    const { page, wrong } = await stage.open('/sources')
    const rotate = async () => {
      await page.getByRole('button', { name: 'New address: Rotated' }).click()
      await line(page, 'Sources', 'Rotated').getByRole('button', { name: 'New address' }).click()
    }
    const shown = page.getByRole('region', { name: 'Rotated' }).locator('code')
    await rotate()
    await shown.waitFor()
    const first = await shown.textContent()
    await rotate()
    await expect.poll(() => shown.count()).toBe(2)
    expect(await shown.nth(1).textContent()).toBe(first)
    await page.getByRole('button', { name: 'Create a source' }).first().click()
    await page.getByLabel('Sender').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'I have saved it' }).first().click()
    await expect.poll(() => shown.allTextContents()).toEqual([first])
    expect(wrong).toEqual([])
  })

  it('sends a sample as its sender would, while the address is shown', async () => {
    const { page, wrong } = await stage.open('/sources')
    await page.getByRole('button', { name: 'Create a source' }).first().click()
    await page.getByLabel('Sender').fill('Sampled')
    await page.getByRole('button', { name: 'Create the address' }).click()
    const once = page.getByRole('region', { name: 'Sampled' })
    await once.getByText('Send a sample').click()
    await once.getByRole('checkbox', { name: 'Tides weekly' }).check()
    await once.getByRole('button', { name: 'Send the sample' }).click()
    await once.getByRole('link', { name: 'See how it went' }).waitFor()
    const { body } = await stage.galley.call<{ data: { title: string }[] }>(
      'GET',
      `/v1/deliveries?site_id=${stage.siteIds[0]}&limit=1`,
    )
    expect(body.data[0]?.title).toBe('A first document from Galley')
    expect(wrong).toEqual([])
  })

  it('says why a sample comes to a site to which its source may not send', async () => {
    const limits = { sites: stage.siteIds.slice(1, 2) }
    await stage.galley.call('POST', '/v1/sources', { name: 'Limited', limits })
    const { page, wrong } = await stage.open('/sources')
    await page.getByRole('button', { name: 'New address: Limited' }).click()
    await line(page, 'Sources', 'Limited').getByRole('button', { name: 'New address' }).click()
    const once = page.getByRole('region', { name: 'Limited' })
    await once.getByText('Send a sample').click()
    await once.getByRole('checkbox', { name: 'Tides weekly' }).check()
    await once.getByRole('button', { name: 'Send the sample' }).click()
    await once.getByRole('alert').getByText('to which this source may not send').waitFor()
    await once.getByRole('button', { name: 'Send the sample' }).waitFor()
    expect(wrong).toEqual([])
  })

  it('says that a page behind the last one is empty', async () => {
    const { body } = await stage.galley.call<{ data: { id: string }[] }>('GET', '/v1/sources?limit=100')
    const { page, wrong } = await stage.open(`/sources?cursor=${body.data.at(-1)?.id}`)
    await page.getByText('Nothing more matches.').waitFor()
    await page.getByRole('button', { name: 'First page' }).click()
    await line(page, 'Sources', 'Limited').waitFor()
    expect(wrong).toEqual([])
  })

  it('says in words what Galley refuses, at the field', async () => {
    const { page, wrong } = await stage.open('/sources')
    await page.getByRole('button', { name: 'Create a source' }).first().click()
    await page.getByLabel('Sender').fill('Mistaken')
    await unfold(page, 'Signatures')
    await page.getByLabel('API that creates the documents').fill('ftp://example.com')
    await page.getByRole('button', { name: 'Create the address' }).click()
    await page.getByRole('alert').waitFor()
    const field = page.getByLabel('API that creates the documents')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('must be an http or https address').first().waitFor()
    expect(wrong).toEqual([])
  })

  it('shows a hostile name as the text that it is', async () => {
    await stage.galley.call('POST', '/v1/sources', { name: HOSTILE })
    const { page, wrong } = await stage.open('/sources')
    await line(page, 'Sources', HOSTILE).waitFor()
    expect(await page.locator('main img, main style').count()).toBe(0)
    await page.getByRole('button', { name: `Change: ${HOSTILE}` }).click()
    await page.getByRole('region', { name: HOSTILE }).waitFor()
    expect(await page.title()).toBe('Sources · Galley')
    expect(wrong).toEqual([])
  })
})

describe('keys', () => {
  it('makes one of a role, which may see no keys itself, and revokes it', async () => {
    const { page, wrong } = await stage.open('/keys')
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByLabel('Who or what it is for').fill('Ann')
    await page.getByLabel('Role').selectOption('Editor')
    await page.getByLabel('Expires after').fill('2099-12-31')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = (await page.getByRole('region', { name: 'Ann' }).locator('code').textContent()) as string
    await line(page, 'Keys', 'Ann').getByText('2099').or(page.getByText('2100')).first().waitFor()

    const ask = async (path: string) =>
      (await fetch(`${stage.galley.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await ask('/v1/sites'), await ask('/v1/keys')]).toEqual([200, 403])

    await page.getByRole('button', { name: 'Revoke: Ann' }).click()
    await line(page, 'Keys', 'Ann').getByRole('button', { name: 'Revoke' }).click()
    await line(page, 'Keys', 'Ann').getByText('Revoked').waitFor()
    expect(await ask('/v1/sites')).toBe(401)
    expect(wrong).toEqual([])
  })
})

it('a key that was made is shown until it is put away, whatever else is pressed', async () => {
  await stage.keyOf({ name: 'Earlier', role: 'editor' })
  const { page, wrong } = await stage.open('/keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByLabel('Who or what it is for').fill('Later')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const shown = page.getByRole('region', { name: 'Later' }).locator('code')
  const key = await shown.textContent()
  await page.getByRole('button', { name: 'Change: Earlier' }).click()
  await page.getByRole('region', { name: 'Earlier' }).waitFor()
  expect(await shown.textContent()).toBe(key)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await shown.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Earlier' }).waitFor()
  expect(wrong).toEqual([])
})

describe('outcomes', () => {
  it('sends a receiver a sample, shows what it answered, and sends it again', async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end())
    try {
      const { page, wrong } = await stage.open('/outcomes')
      await page.getByRole('button', { name: 'Add a recipient' }).first().click()
      await page.getByLabel('Who is notified').fill('Newsroom')
      await page.getByLabel('Webhook address').fill(`${receiver.url}/hook`)
      await page.getByRole('checkbox', { name: 'A document is on its site' }).uncheck()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page
        .getByRole('region', { name: 'Newsroom' })
        .getByText(/^whsec_/)
        .waitFor()

      await page.getByRole('button', { name: 'Send a sample: Newsroom' }).click()
      await page.getByRole('heading', heading('A post was withdrawn')).waitFor()
      await page.getByText('Answered 204').waitFor()
      expect(receiver.told.map(({ body }) => JSON.parse(String(body)))).toContainEqual(
        expect.objectContaining({ event: 'delivery.withdrawn', sample: true }),
      )

      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('by hand').waitFor()
      // It is told of what happens to the sites of this Galley, too.
      const samples = receiver.told.filter(({ body }) => JSON.parse(String(body)).sample)
      expect(samples).toHaveLength(2)

      await page.getByRole('link', { name: 'All notifications' }).click()
      await line(page, 'Notifications sent', 'Newsroom').getByText('Acknowledged').waitFor()
      await page.getByRole('button', { name: 'Change: Newsroom' }).click()
      const form = page.getByRole('region', { name: 'Newsroom' })
      await form.getByLabel('Who is notified').fill('Newsroom and desk')
      await form.getByLabel('Webhook address').fill(`${receiver.url}/desk`)
      // What it is told of is as it was made.
      await form.getByRole('checkbox', { name: 'A document is on its site', checked: false }).check()
      await form.getByLabel('And of sites with one of these labels').fill('sea, night')
      await form.getByRole('button', { name: 'Save' }).click()
      await form.waitFor({ state: 'detached' })
      const changed = line(page, 'Recipients', 'Newsroom and desk')
      await changed.getByText('/desk').waitFor()
      await changed.getByText('Sites with one of the labels sea, night · Everything').waitFor()
      const { body } = await stage.galley.call<{ data: unknown[] }>('GET', '/v1/receivers')
      expect(body.data).toEqual([
        expect.objectContaining({
          name: 'Newsroom and desk',
          url: `${receiver.url}/desk`,
          labels: ['sea', 'night'],
          events: expect.arrayContaining(['delivery.delivered', 'delivery.held']),
        }),
      ])
      await page.getByRole('button', { name: 'Pause: Newsroom' }).click()
      await line(page, 'Recipients', 'Newsroom').getByText('Paused by you').waitFor()
      await page.getByRole('button', { name: 'Remove: Newsroom' }).click()
      await line(page, 'Recipients', 'Newsroom').getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('heading', { name: 'Nobody is notified yet' }).waitFor()
      expect(wrong).toEqual([])
    } finally {
      await receiver.close()
    }
  })

  it('a Galley without a mail server says so when a mailbox is chosen', async () => {
    const { page, wrong } = await stage.open('/outcomes')
    await page.getByRole('button', { name: 'Add a recipient' }).first().click()
    await page.getByLabel('How to notify').selectOption('Email')
    await page.getByLabel('Who is notified').fill('Ann')
    await page.getByText('This Galley sends no mail yet.').waitFor()
    await page.getByLabel('E-mail address').fill('ann@example.com')
    expect(await page.getByLabel('Language of the mails').inputValue()).toBe('en')
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isEnabled()).toBe(false)
    expect(wrong).toEqual([])
  })
})

describe('the audit log', () => {
  it('is filtered and read on from page to page', async () => {
    for (let n = 0; n < 52; n++)
      await stage.galley.call('PATCH', `/v1/sites/${stage.siteIds[0]}`, { labels: [`label-${n}`] })
    await stage.galley.call('POST', '/v1/sources', { name: HOSTILE })
    const { page, wrong } = await stage.open('/audit')
    const entries = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')
    await page.getByLabel('Action').selectOption('Source created')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('link', { name: 'Show all' }).waitFor()
    await expect.poll(() => entries.getByText('Site changed').count()).toBe(0)
    await entries.first().getByText('Source created').waitFor()
    // Nobody is led away from the button.
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Filter')
    await entries.first().getByText('Details').click()
    await entries.first().locator('pre').getByText('onerror').waitFor()
    expect(await page.locator('main img, main style').count()).toBe(0)

    // Signing in can be left out here too.
    const sessions = page.getByRole('checkbox', { name: 'Signing in and out, too' })
    expect(await sessions.isChecked()).toBe(true)
    await sessions.uncheck()
    await page.waitForURL(/sessions=false/)
    expect(await sessions.isChecked()).toBe(false)

    await page.getByRole('link', { name: 'Show all' }).click()
    await expect.poll(() => page.getByLabel('Action').inputValue()).toBe('')
    await expect.poll(() => entries.count()).toBe(50)
    await entries
      .filter({ hasText: 'Site changed' })
      .first()
      .getByRole('link', { name: 'Tides weekly' })
      .waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL(/cursor=/)
    await expect.poll(() => entries.getByText('label-0').count()).toBe(1)
    expect(wrong).toEqual([])
  })

  it('calls everything by its name, and shows no id', async () => {
    const { call } = stage.galley
    const { data: account } = (await call<{ data: { name: string } }>('GET', '/v1/account')).body
    await call('PATCH', '/v1/account', { notify_steps: false })
    const bulk = { action: 'check', filter: { site_id: stage.siteIds.slice(0, 2) }, dry_run: false }
    const { body } = await call<{ id: string }>('POST', '/v1/bulk', bulk)
    await expect
      .poll(
        async () =>
          (await call<{ data: { matched: number } }>('GET', `/v1/bulk/${body.id}`)).body.data.matched,
      )
      .toBe(2)
    const { page, wrong } = await stage.open('/audit')
    const entries = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')
    await entries.getByRole('link', { name: 'Check: 2 sites' }).waitFor()
    await entries.filter({ hasText: 'Account changed' }).getByText(account.name).first().waitFor()
    await page.getByRole('checkbox', { name: 'Signing in and out, too' }).check()
    await entries.filter({ hasText: 'Signed in' }).first().waitFor()
    for (const shown of await entries.locator('th, td:not(:has(details))').allInnerTexts())
      expect(shown).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
    expect(wrong).toEqual([])
  })
})
