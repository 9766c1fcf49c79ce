import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { completed } from '../support/webhooks.ts'
import { shown } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// What is done with many deliveries or sites at once, in Chromium: looked at first, then done, and read again later.

const secretKeys = generateSecretKey()

let stage: Stage
let wordpress: Sites
/** A site that takes what it is sent. */
let works: string
beforeAll(async () => {
  stage = await startStage({ sites: 6, deliveries: 60 }, { secretKeys })
  wordpress = await startSites(1, () => undefined)
  const added = await addSites(
    stage.pool,
    secretKeys,
    wordpress.urls.map((url) => ({ url })),
  )
  works = added[0] as string
})
afterAll(async () => {
  await stage.stop()
  wordpress.close()
})

const heading = (name: string | RegExp) => ({ name, level: 1 })

/** Looks what an action would do; the page of the look is open then. */
async function look(page: Page, action: string): Promise<void> {
  const panel = page.getByRole('region', { name: /^Bulk action on/ })
  await panel.getByRole('radio', { name: action, exact: true }).check()
  await panel.getByRole('button', { name: 'Start a dry run' }).click()
  await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor()
  await page.getByText('Done', { exact: true }).first().waitFor()
}

describe('the start', () => {
  it('has what a cause holds up tried again, all of it, once somebody has seen what that would do', async () => {
    const { page, wrong } = await stage.open('/')
    const cause = page.getByRole('listitem').filter({ hasText: 'its firewall took it for an attack' })
    await cause.getByRole('link', { name: 'Show 3 deliveries' }).click()
    await page.getByText('3 deliveries to 3 sites: WordPress refused the text', { exact: false }).waitFor()
    await page.goBack()
    await cause.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor()
    await page.getByRole('heading', heading('Try again: 3 deliveries')).waitFor()
    expect(wrong).toEqual([])
  })
})

describe('deliveries', () => {
  it('the backlog of a site that works again is released, all that match, and comes to stand there', async () => {
    const ids = await heldBacklog(7)
    const { page, wrong } = await stage.open(`/deliveries?site_id=${works}&status=held`)
    await page.getByRole('button', { name: /^Bulk edit all/ }).click()
    await page.getByRole('radio', { name: 'All that match: 7 deliveries' }).waitFor()
    await look(page, 'Release')
    await page.getByText('7 would be changed', { exact: true }).waitFor()
    await page.getByText('Nothing has been changed yet.', { exact: false }).waitFor()
    const names = page
      .getByRole('list', { name: 'Individual results' })
      .getByRole('link', { name: /^Tide \d$/ })
    await expect.poll(() => names.count(), { message: 'all of them have their names' }).toBe(7)
    expect(await statusesOf(ids)).toEqual(['held'])

    await page.getByRole('button', { name: 'Release: 7 deliveries' }).click()
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor()
    await page.getByText('7 done', { exact: true }).waitFor()
    await expect.poll(() => statusesOf(ids)).toEqual(['delivered'])
    const became = page.getByRole('region', { name: 'What became of the deliveries' })
    await became.getByRole('listitem').filter({ hasText: '7 Delivered' }).waitFor()

    await page.reload()
    await page.getByText('7 done', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'All bulk actions' }).click()
    await page.getByRole('link', { name: 'Release: 7 deliveries' }).first().waitFor()
    expect(wrong).toEqual([])
  })

  // Of this site the newest is held, and the one before it is delivered.
  it('rows are chosen one by one, and what is refused of them says why', async () => {
    const { page, wrong } = await stage.open(`/deliveries?site_id=${stage.siteIds[0]}`)
    await shown(page)
    const boxes = page.locator('.g-table tbody').getByRole('checkbox')
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Cancel', exact: true }).first().click()
    await page.getByRole('radio', { name: 'Those selected: 2 deliveries' }).waitFor()
    await look(page, 'Cancel')
    await page.getByText('1 would be changed', { exact: true }).waitFor()
    await page.getByText('1 skipped', { exact: true }).waitFor()
    await page.getByText('withdraw it.', { exact: false }).first().waitFor()
    await page.getByLabel('Show', { exact: true }).selectOption('Skipped')
    await expect
      .poll(() => page.getByRole('list', { name: 'Individual results' }).getByRole('listitem').count())
      .toBe(1)

    await page.getByRole('button', { name: 'Cancel: 1 delivery' }).click()
    await page.getByText('1 done', { exact: true }).waitFor()
    // Somebody edited its post, which is kept.
    expect(await statusesOf(stage.deliveryIds.slice(0, 1))).toEqual(['kept'])
    expect(wrong).toEqual([])
  })

  it('says how many of all that match an action is for, and leads to all whose posts were edited', async () => {
    const { rows } = await stage.pool.query<{ id: string }>(
      `SELECT id FROM delivery WHERE error ->> 'code' = 'post_changed' AND status = 'held' ORDER BY id`,
    )
    const ids = rows.map(({ id }) => id)
    const replace = (code: string) =>
      stage.pool.query(
        `UPDATE delivery SET answered = '{}', error = error || jsonb_build_object('code', $2::text) WHERE id = $1`,
        [ids[0], code],
      )
    await stage.pool.query(`UPDATE delivery SET answered = '{}' WHERE id = ANY ($1)`, [ids])
    await replace('post_replaced')
    const { page, wrong } = await stage.open('/deliveries')
    await shown(page)
    await page.getByRole('button', { name: 'Bulk edit all', exact: true }).click()
    const panel = page.getByRole('region', { name: 'Bulk action on deliveries' })
    await panel.getByRole('radio', { name: /^All that match and are not done: \d+ deliveries$/ }).waitFor()
    await panel.getByRole('radio', { name: 'Withdraw', exact: true }).check()
    await panel.getByRole('radio', { name: /^All that match and are delivered: \d+ deliveries$/ }).waitFor()
    await look(page, 'Try again')
    await page.getByRole('link', { name: 'Open them' }).click()
    const table = page.getByRole('region', { name: 'Deliveries', exact: true })
    await table.getByText(`${ids.length} deliveries`, { exact: true }).waitFor()
    await replace('post_changed')
    expect(wrong).toEqual([])
  })

  it('edited posts are left by “Try again”, with a link to them, and withdrawn where that is chosen', async () => {
    await stage.pool.query(
      `UPDATE delivery SET answered = '{}' WHERE error ->> 'code' = 'post_changed' AND status = 'held'`,
    )
    const { page, wrong } = await stage.open('/deliveries?code=post_changed&status=held')
    await shown(page)
    await page.getByRole('button', { name: /^Bulk edit all/ }).click()
    await look(page, 'Try again')
    await page.getByText('another try would only wait again', { exact: false }).first().waitFor()
    await page.getByRole('link', { name: 'Open them' }).click()
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    const table = page.getByRole('region', { name: 'Deliveries', exact: true })
    await table.getByRole('checkbox').nth(1).check()
    await page.getByRole('button', { name: 'Try again', exact: true }).first().click()
    await look(page, 'Try again')
    // Those of this action alone.
    await page.getByRole('link', { name: 'Open them' }).click()
    await table.getByText('1 delivery', { exact: true }).waitFor()
    await page.getByText('Only those that were selected.', { exact: false }).waitFor()
    await page.getByRole('button', { name: /^Bulk edit all/ }).click()
    const panel = page.getByRole('region', { name: 'Bulk action on deliveries' })
    await panel.getByRole('radio', { name: 'Withdraw', exact: true }).check()
    await panel
      .getByLabel('Posts that people edited')
      .selectOption('are withdrawn anyway, with what was edited')
    await panel.getByRole('button', { name: 'Start a dry run' }).click()
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor()
    await page.getByText('are withdrawn anyway, with what was edited', { exact: true }).waitFor()
    expect(wrong).toEqual([])
  })

  it('rows are chosen in a narrow window too, and led to what can be done with them', async () => {
    const { page, wrong } = await stage.open(`/deliveries?site_id=${stage.siteIds[1]}`, {
      context: { viewport: { width: 320, height: 900 } },
    })
    await shown(page)
    await page.getByText('10 deliveries', { exact: true }).waitFor()
    const boxes = page
      .getByRole('list', { name: 'Deliveries' })
      .getByRole('checkbox', { name: /^Choose: \S/ })
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await boxes.nth(2).check()
    await boxes.nth(1).uncheck()
    await page.getByText('2 chosen', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Bulk action…' }).click()
    const those = page.getByRole('radio', { name: 'Those selected: 2 deliveries' })
    await those.waitFor()
    expect(await those.isChecked()).toBe(true)
    await page.getByRole('button', { name: 'None', exact: true }).click()
    await page.getByText('2 chosen', { exact: true }).waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })

  /** Deliveries to the site that works, held as they are when a site did not let Galley in. */
  async function heldBacklog(count: number): Promise<string[]> {
    const { galley, pool } = stage
    await galley.call('POST', `/v1/sites/${works}/pause`, {})
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const document = { id: randomUUID(), data: completed({ title: `Tide ${n}` }).data, site_ids: [works] }
      const { body } = await galley.call<{ data: { id: string }[] }>('POST', '/v1/deliveries', document)
      ids.push(body.data[0]?.id as string)
    }
    await pool.query(
      `UPDATE delivery SET status = 'held', due_at = NULL,
         error = '{"code": "credentials_invalid", "message": "WordPress does not let Galley in.", "step": "reserve"}'
       WHERE id = ANY ($1)`,
      [ids],
    )
    await galley.call('POST', `/v1/sites/${works}/resume`)
    return ids
  }

  const statusesOf = async (ids: string[]): Promise<string[]> => {
    const { rows } = await stage.pool.query('SELECT DISTINCT status FROM delivery WHERE id = ANY ($1)', [ids])
    return rows.map(({ status }) => status)
  }
})

describe('sites', () => {
  it('labels of all that match are changed, and changed back', async () => {
    const { page, wrong } = await stage.open('/sites?q=site-')
    await page.getByRole('button', { name: /^Bulk edit all/ }).click()
    await page.getByRole('radio', { name: 'All that match: 6 sites' }).waitFor()
    await page.getByRole('radio', { name: 'Change labels' }).check()
    await page.getByLabel('Labels to add').fill('spring, "Tides, local"')
    await look(page, 'Change labels')
    await page.getByText('spring, "Tides, local"').waitFor()
    await page.getByRole('button', { name: 'Change labels: 6 sites' }).click()
    await page.getByText('6 done', { exact: true }).waitFor()
    const { rows } = await stage.pool.query(`SELECT id FROM site WHERE labels @> '{spring,"Tides, local"}'`)
    expect(rows).toHaveLength(6)

    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('heading', heading('Undo: 6 sites')).waitFor()
    await page.getByText('6 done', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'What it undoes' }).click()
    await page.getByRole('heading', heading('Change labels: 6 sites')).waitFor()
    const labelled = await stage.pool.query(`SELECT FROM site WHERE labels && '{spring,"Tides, local"}'`)
    expect(labelled.rows).toEqual([])
    expect(wrong).toEqual([])
  })
})

it('a selection is shown in words, by whatever it was narrowed', async () => {
  const filter = {
    ...{ post_status: ['draft', 'pending'], severity: 'loss', warning: 'picture_left_out' },
    document_id: 'article-1',
  }
  const asked = { action: 'withdraw', filter, parameters: { to: 'trash' }, dry_run: true }
  const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/bulk', asked)
  const { page, wrong } = await stage.open(`/bulk/${body.id}`)
  const card = page.getByRole('heading', { name: 'Action and selection' }).locator('..')
  await card.waitFor()
  const names = await card.locator('dt').allTextContents()
  expect(names).toEqual(expect.arrayContaining(['The posts go', 'In WordPress', 'Document']))
  expect(names.filter((name) => name.includes('_') || name === 'to' || name === 'severity')).toEqual([])
  expect(await card.locator('dd').allTextContents()).toEqual(
    expect.arrayContaining(['to the trash', 'Draft, Pending review', 'Lost', 'Only those of one document.']),
  )
  expect(wrong).toEqual([])
})

describe('settings of sites', () => {
  it('name an author and categories, or take them away, for all that match', async () => {
    const { page, wrong } = await stage.open('/sites?q=site-')
    await page.getByRole('button', { name: /^Bulk edit all/ }).click()
    const panel = page.getByRole('region', { name: /^Bulk action on/ })
    await panel.getByRole('radio', { name: 'Change settings' }).check()
    const looks = panel.getByRole('button', { name: 'Start a dry run' })
    await panel.getByLabel('Author', { exact: true }).selectOption('By its name…')
    expect(await looks.isDisabled(), 'the name is missing').toBe(true)
    await panel.getByLabel('Author: name').fill(' Ann Editor ')
    await panel
      .getByLabel('Categories of a document that names none', { exact: true })
      .selectOption('By its name…')
    await panel.getByLabel('Categories of a document that names none: name').fill('News, Tides')
    await panel.getByLabel('Category in place of a missing one').selectOption('None')
    await looks.click()
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor()
    await page.getByText('News, Tides').waitFor()
    const { rows } = await stage.pool.query('SELECT parameters FROM bulk_job ORDER BY id DESC LIMIT 1')
    expect(rows[0]?.parameters).toEqual({
      author: 'Ann Editor',
      default_categories: ['News', 'Tides'],
      fallback_category: null,
    })
    expect(wrong).toEqual([])
  })
})

describe('roles', () => {
  it('an editor does with many deliveries what it may do with one, and nothing with sites', async () => {
    const { body } = await stage.galley.call<{ data: { key: string } }>('POST', '/v1/keys', {
      name: 'Editor',
      role: 'editor',
    })
    const { page, wrong } = await stage.open('/sites', { key: body.data.key })
    await page.getByRole('heading', heading('Sites')).waitFor()
    await shown(page)
    expect(await page.getByRole('button', { name: /^Bulk edit all/ }).count()).toBe(0)
    expect(await page.locator('.g-table').getByRole('checkbox').count()).toBe(0)
    await page.goto(`${stage.galley.url}/deliveries`)
    await page.getByRole('button', { name: /^Bulk edit all/ }).waitFor()
    expect(wrong).toEqual([])
  })
})

it('bulk actions are looked at within the deliveries, which the navigation says', async () => {
  const { page, wrong } = await stage.open(`/bulk/${stage.bulkId}`)
  const current = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current]')
  await expect.poll(() => current.allTextContents()).toEqual(['Deliveries'])
  await page.getByRole('link', { name: 'All bulk actions' }).click()
  await page.getByRole('heading', { level: 1, name: 'Bulk actions' }).waitFor()
  expect(await current.allTextContents()).toEqual(['Deliveries'])
  expect(wrong).toEqual([])
})
