import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { sharedBrowser } from '../support/browser.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'

const key = createApiKey()

let galley: TestGalley
let browser: Browser
beforeAll(async () => {
  galley = await startTestGalley({ adminKey: key })
  browser = await sharedBrowser()
})
afterAll(async () => {
  for (const context of browser.contexts()) await context.close()
  await galley.stop()
})

it('/docs shows every call and tries one with a key; nothing leaves its origin, and its policy is not offended', async () => {
  const page = await browser.newPage()
  const asked: string[] = []
  const said: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy/.test(message.text()))
      said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(error.message))
  await page.goto(`${galley.url}/docs`)

  const { paths, webhooks } = await (await fetch(`${galley.url}/openapi.json`)).json()
  const calls = Object.values<object>({ ...paths, ...webhooks }).flatMap((operations) =>
    Object.keys(operations),
  )
  await page.locator('.opblock').first().waitFor()
  expect(await page.locator('.opblock').count()).toBe(calls.length)

  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.getByLabel('auth-bearer-value').fill(key)
  await page.getByRole('button', { name: 'Apply credentials' }).first().click()
  await page.getByRole('button', { name: 'Close' }).first().click()

  const call = page.locator('#operations-Keys-listKeys')
  await call.locator('.opblock-summary-control').first().click()
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await call.locator('.live-responses-table .response-col_status').getByText('200').first().waitFor()

  expect(asked.filter((url) => !url.startsWith(`${galley.url}/`) && !url.startsWith('data:'))).toEqual([])
  expect(said).toEqual([])
})
