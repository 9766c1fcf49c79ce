import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stage, startStage } from './stage.ts'

// The page in Chromium, against a real service and database.

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 12, deliveries: 240 })
})
afterAll(() => stage.stop())

const heading = (name: string) => ({ name, level: 1 })

describe('signing in', () => {
  it('leads with a key to the address that was asked for, and back out', async () => {
    const { page, context, wrong } = await stage.open('/sites', { key: null })
    const key = page.getByLabel('API key')
    await key.fill('gly_sk_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('48 hexadecimal').waitFor()
    await key.fill(stage.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', heading('Sites')).waitFor()

    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(stage.key)

    await page.getByRole('button', { name: /^Account:/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByLabel('API key').waitFor()
    expect(await context.cookies()).toEqual([])
    expect(wrong).toEqual([])
  })

  it('says that a session has ended, and goes on where it was', async () => {
    const { page, wrong } = await stage.open('/deliveries')
    await page.getByRole('heading', heading('Deliveries')).waitFor()
    await stage.pool.query('DELETE FROM session')
    // Nobody has to click first: the stream ends with the session.
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('API key').fill(stage.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', heading('Deliveries')).waitFor()
    expect(wrong).toEqual([])
  })
})

// That each view can be loaded at its address, and offends no policy, is in views.browser.test.ts.
describe('views', () => {
  it('one delivery and one site stand at the addresses that mails name', async () => {
    const { page, wrong } = await stage.open(`/deliveries/${stage.deliveryIds[0]}`)
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    await page.goto(`${stage.galley.url}/sites/${stage.siteIds[0]}`)
    await page.getByRole('heading', heading('Tides weekly')).waitFor()
    expect(wrong).toEqual([])
  })

  it('what is not there says so', async () => {
    const { page } = await stage.open('/nowhere')
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await page.goto(`${stage.galley.url}/deliveries/${crypto.randomUUID()}`)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  })
})
