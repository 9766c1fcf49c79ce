import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Stage, startStage } from './stage.ts'

// The page over http from another machine, as in a home or an office: browsers take part of what they can do away there.

let stage: Stage
let browser: Browser
let url: string
beforeAll(async () => {
  stage = await startStage()
  // A name that is not the machine's own, which is what a browser goes by.
  browser = await launchBrowser('--host-resolver-rules=MAP galley.test 127.0.0.1')
  url = `http://galley.test:${new URL(stage.galley.url).port}`
})
afterAll(async () => {
  await browser.close()
  await stage.stop()
})

/** Signed in with the form. */
async function enter(path: string): Promise<{ page: Page; wrong: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(String(error)))
  await page.goto(`${url}${path}`)
  expect(await page.evaluate('isSecureContext')).toBe(false)
  await page.getByLabel('API key').fill(stage.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return { page, wrong }
}

it('copies what is shown once', async () => {
  const { page, wrong } = await enter('/keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByLabel('Who or what it is for').fill('Ann')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const once = page.getByRole('region', { name: 'Ann' })
  await once.getByRole('button', { name: /^Copy:/ }).click()
  await once.getByRole('button', { name: /^Copied:/ }).waitFor()
  const key = await once.locator('code').textContent()
  await once.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByLabel('Who or what it is for').press('Control+V')
  expect(await page.getByLabel('Who or what it is for').inputValue()).toBe(key)
  expect(wrong).toEqual([])
  await page.context().close()
})

it('says so where the browser lets nothing be copied', async () => {
  const { page, wrong } = await enter('/keys')
  await page.evaluate('document.execCommand = () => false')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByLabel('Who or what it is for').fill('Ben')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const once = page.getByRole('region', { name: 'Ben' })
  await once.getByRole('button', { name: /^Copy:/ }).click()
  await once.getByText('copy it with the keyboard').waitFor()
  expect(await page.evaluate('String(getSelection())')).toBe(await once.locator('code').textContent())
  expect(wrong).toEqual([])
  await page.context().close()
})
