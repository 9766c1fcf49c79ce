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
})

// That each view can be loaded at its address, and offends no policy, is in views.browser.test.ts.
describe('views', () => {
  it('what is not there says so', async () => {
    const { page } = await stage.open('/nowhere')
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await page.goto(`${stage.galley.url}/deliveries/${crypto.randomUUID()}`)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  })
})
