import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// What is said while a site is being connected, and where the first run goes on. What the owner and the doctor do is written
// where they write it.

let stage: Stage
/** Answers as the index of a WordPress's REST API, to whatever is asked of it. */
let wordpress: Server
let address: string
let accountId: string
beforeAll(async () => {
  stage = await startStage()
  wordpress = createServer((request, response) => {
    const isIndex = request.url?.startsWith('/wp-json/')
    response.writeHead(200, { 'content-type': isIndex ? 'application/json' : 'text/html' })
    response.end(isIndex ? JSON.stringify({ name: 'Tides', namespaces: ['wp/v2'] }) : '<title>Tides</title>')
  })
  await new Promise<void>((resolve) => wordpress.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(wordpress.address() as AddressInfo).port}`
  const { rows } = await stage.pool.query('SELECT id FROM account')
  accountId = rows[0].id
})
afterAll(async () => {
  await stage.stop()
  wordpress.close()
})

beforeEach(async () => {
  for (const table of ['delivery', 'site', 'source', 'connect_link'])
    await stage.pool.query(`DELETE FROM ${table}`)
})

/** A site that nobody has checked yet. */
async function makeSite(name = 'Tides weekly'): Promise<string> {
  const { rows } = await stage.pool.query<{ id: string }>(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES (uuidv7(), $1, $2, $3, $3 || '/wp-json/', 'galley', 'x', now()) RETURNING id`,
    [accountId, name, address],
  )
  return rows[0]?.id as string
}

/** What the doctor finds, at the level of its only line. */
const report = (level: 'ok' | 'problem') =>
  stage.pool.query('UPDATE site SET report = $1, report_at = now(), updated_at = now()', [
    {
      checkedAt: '2026-11-20T08:00:00.000Z',
      worse: [],
      home: address,
      level,
      findings: [
        {
          check: 'uploads',
          level,
          seen: 'WordPress takes no files.',
          means: 'Pictures stay where they are.',
          todo: 'Ask the host to allow uploads.',
        },
      ],
    },
  ])

const linkIs = (columns: string) => stage.pool.query(`UPDATE connect_link SET ${columns}`)

/** Makes a link on the page that asks for an address. */
async function makeLink(page: Page): Promise<void> {
  await page.getByLabel('Address of the site').fill(address)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'Open the approval page' }).waitFor()
}

const waiting = 'Waiting for the approval. This page continues by itself.'

describe('who waits for an owner', () => {
  it('reads what is in the way, that it was declined, and that the link still works', async () => {
    const { page, wrong } = await stage.open('/welcome')
    await makeLink(page)
    await linkIs(`problem = '{"code": "rights_missing", "message": "The user may not write posts."}'`)
    await page.getByText('The user may not write posts.').waitFor()
    await page.getByText('open the same link again').waitFor()
    await linkIs('rejected_at = now()')
    await page.getByText('The request was declined in WordPress').waitFor()
    await page.getByText('open it again to approve after all').waitFor()
    await page.getByText(waiting).waitFor()
    expect(wrong).toEqual([])
  })

  it('reads that it has expired, waits no more, and makes another', async () => {
    const { page, wrong } = await stage.open('/welcome')
    await makeLink(page)
    await linkIs(`expires_at = now() - interval '1 minute'`)
    await page.getByText('This link has expired').waitFor()
    expect(await page.getByText(waiting).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Open the approval page' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Create a new link' }).click()
    await makeLink(page)
    await page.getByText(waiting).waitFor()
    expect(wrong).toEqual([])
  })

  it('reads it too where a site is connected again, and that it is', async () => {
    const id = await makeSite()
    const { page, wrong } = await stage.open(`/sites/${id}?connect=again`)
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByText(waiting).waitFor()
    await linkIs('revoked_at = now()')
    await page.getByText('This link was withdrawn').waitFor()
    await page.getByRole('button', { name: 'Create a new link' }).click()
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByText(waiting).waitFor()
    await stage.pool.query('UPDATE connect_link SET used_at = now(), site_id = $1 WHERE revoked_at IS NULL', [
      id,
    ])
    await page.getByText('The site is connected again').waitFor()
    await page.getByText(waiting).waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })
})

describe('a site that was connected', () => {
  it('is seen with what its check finds, as it is found, and leads to its page', async () => {
    const { page, wrong } = await stage.open('/welcome')
    await makeLink(page)
    await page.reload()
    await page.getByText('The link was shown only once').waitFor()
    const id = await makeSite()
    await stage.pool.query('UPDATE connect_link SET used_at = now(), site_id = $1', [id])
    await page.getByText('The site is being checked').waitFor()
    await report('problem')
    await page.getByText('WordPress takes no files.').waitFor()
    await page.getByText('Ask the host to allow uploads.').waitFor()
    await page.getByRole('link', { name: 'Go to the site' }).click()
    await page.getByRole('heading', { name: 'Tides weekly', level: 1 }).waitFor()
    expect(wrong).toEqual([])
  })

  it('stands aside where another one is to be connected', async () => {
    await makeSite()
    const { page, wrong } = await stage.open('/sites')
    await page.getByRole('link', { name: 'Connect a site' }).click()
    await makeLink(page)
    const other = await makeSite('Harbour news')
    await stage.pool.query('UPDATE connect_link SET used_at = now(), site_id = $1', [other])
    await page.getByText('Harbour news').waitFor()
    expect(wrong).toEqual([])
  })
})

describe('the first run', () => {
  it('goes on where one was when the page is loaded again, and the start leads to it', async () => {
    const id = await makeSite()
    await report('ok')
    const { page, wrong } = await stage.open('/')
    await page.getByRole('link', { name: 'Publish your first post' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Connect a WordPress site' })
      .getByText('Done')
      .waitFor()
    await page.getByRole('button', { name: 'Create the address' }).click()
    await page.getByText('Address for documents').waitFor({ state: 'attached' })
    await page.reload()
    await page.getByText('Its address was shown when it was created.').waitFor()
    await page.getByRole('button', { name: 'Send the sample' }).click()
    await page.getByRole('link', { name: 'See how it went' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'See how it went' }).waitFor()
    const { rows } = await stage.pool.query('SELECT site_id, title FROM delivery')
    expect(rows).toEqual([{ site_id: id, title: 'A first document from Galley' }])
    await page.goto(stage.galley.url)
    await page.getByRole('region', { name: 'Activity' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Publish your first post' }).count()).toBe(0)
    expect(wrong).toEqual([])
  })
})

describe('a site whose check found a problem', () => {
  it('is among what needs somebody, though nothing waits for it', async () => {
    await makeSite()
    await makeSite('Harbour news')
    await report('ok')
    const { page, wrong } = await stage.open('/')
    const needs = page.getByRole('region', { name: 'Needs your attention' })
    await needs.getByText('Nothing. Every document is on its way or delivered.').waitFor()
    await report('problem')
    await needs.getByRole('heading', { name: '2 sites: WordPress takes no files.' }).waitFor()
    await needs.getByText('Ask the host to allow uploads.').waitFor()
    await needs.getByRole('button', { name: 'Check again' }).waitFor()
    expect(await needs.getByText('Nothing.').count()).toBe(0)
    await needs.getByRole('link', { name: 'Show 2 sites' }).click()
    await page
      .getByRole('region', { name: 'Sites', exact: true })
      .getByText('2 sites', { exact: true })
      .waitFor()
    expect(new URL(page.url()).search).toBe('?state=needs_owner&finding=uploads')
    await page.getByText('WordPress takes no files. Ask the host to allow uploads.').waitFor()
    await page.goto(stage.galley.url)
    await needs.getByRole('link', { name: 'Show 2 sites' }).waitFor()
    await stage.pool.query('UPDATE site SET last_success_at = now()')
    await needs.getByText('Nothing. Every document is on its way or delivered.').waitFor()
    expect(wrong).toEqual([])
  })
})
