import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'

// The same way in Chromium, where WordPress's own page works with its scripts and the cookies are the browser's.

const { url: site, users } = wordpress()
const owner = users.author

let galley: TestGalley
let browser: Browser
beforeAll(async () => {
  galley = await startTestGalley()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await galley.stop()
})

async function makeLink() {
  const requested = { url: site, asked_by: 'Brightwater Media' }
  const { body } = await galley.call<{ data: { id: string; link: string } }>(
    'POST',
    '/v1/connect-links',
    requested,
  )
  return body.data
}

/** The owner's browser, where the owner is logged in to WordPress. */
async function loggedIn(): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
  await page.goto(`${site}/wp-login.php`)
  // WordPress's page selects the field shortly after it has loaded, and what was typed before is typed over.
  await page.locator('#user_login:focus').waitFor()
  await page.fill('#user_login', owner.login)
  await page.fill('#user_pass', owner.password)
  await page.click('#wp-submit')
  await page.waitForURL(/wp-admin/)
  return page
}

/** Opens the link and follows it to WordPress's question. */
async function follow(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('link', { name: /^Continue to/ }).click()
  await page.locator('#approve').waitFor()
}

const passwords = () => rest<{ name: string }[]>('author', 'GET', '/wp/v2/users/me/application-passwords')

describe('a connect link in Chromium', () => {
  it('says so where the owner says no; then leads to a connected site, at phone width, without a password in the address', async () => {
    const { id, link } = await makeLink()
    const before = await passwords()
    const page = await loggedIn()
    await follow(page, link)
    await page.click('#reject')
    await page.getByRole('heading', { name: /is not connected$/ }).waitFor()
    expect((await galley.call<{ data: object[] }>('GET', '/v1/sites')).body.data).toEqual([])
    expect(await passwords()).toEqual(before)

    await follow(page, link)
    const failures: string[] = []
    page.on(
      'console',
      (message) => message.text().includes('Content Security Policy') && failures.push(message.text()),
    )
    await page.click('#approve')
    await page.getByRole('heading', { name: /is connected$/ }).waitFor()
    expect(page.url()).not.toContain('password')
    await page.getByText('What was fine').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(failures).toEqual([])

    const { body } = await galley.call<{ data: { status: string; site_id: string } }>(
      'GET',
      `/v1/connect-links/${id}`,
    )
    expect(body.data.status).toBe('used')
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link has already been used' }).waitFor()
    expect(await galley.call('DELETE', `/v1/sites/${body.data.site_id}?revoke=true`)).toMatchObject({
      status: 200,
    })
  })
})
