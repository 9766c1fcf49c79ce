import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations } from '../support/browser.ts'
import { completed } from '../support/webhooks.ts'
import { type Stage, startStage } from './stage.ts'

// What the page says of webhooks that could not be used.

let stage: Stage
let webhook: string
beforeAll(async () => {
  stage = await startStage({ sites: 1, deliveries: 0 })
  const asked = { name: 'Newsroom', signing_secret: true }
  const { body } = await stage.galley.call<{ data: { url: string } }>('POST', '/v1/sources', asked)
  webhook = new URL(body.data.url).pathname
})
afterAll(() => stage.stop())

const send = async (times: number, headers: Record<string, string> = {}) => {
  const answers = Array.from({ length: times }, () =>
    fetch(`${stage.galley.url}${webhook}`, { method: 'POST', headers, body: JSON.stringify(completed()) }),
  )
  for (const { status } of await Promise.all(answers)) expect(status).toBe(401)
}

it('are a card on Start with their source, their number, why, and what to do, until somebody dismisses it', async () => {
  const { page, wrong } = await stage.open('/')
  const attention = page.getByRole('region', { name: 'Needs your attention' })
  await attention.getByText('Nothing. Every document is on its way or delivered.').waitFor()
  await send(12, { 'x-signature-256': 'sha256=00' })
  const card = attention.getByRole('listitem')
  await card.getByRole('heading', { name: '12 webhooks of Newsroom could not be used' }).waitFor()
  await card.getByText('Give the sender the current secret, or create another.', { exact: false }).waitFor()
  await card.getByText(/^Since \S.* · The signature does not fit the body/).waitFor()
  await send(1)
  await card.getByRole('heading', { name: '13 webhooks of Newsroom could not be used' }).waitFor()
  await card.getByText('12 × Their signature', { exact: false }).waitFor()
  await card.getByText('1 × They have no signature', { exact: false }).waitFor()

  await page.setViewportSize({ width: 320, height: 900 })
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
  expect(await findViolations(page)).toEqual([])

  await card.getByRole('link', { name: 'Show the source' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Newsroom' })
  await row.getByText('Has a problem').waitFor()
  await row.getByText('They have no signature', { exact: false }).waitFor()
  await page.goBack()
  await card.getByRole('button', { name: 'Dismiss' }).click()
  await attention.getByText('Nothing. Every document is on its way or delivered.').waitFor()
  expect(wrong).toEqual([])
})

it('are told in German, and not to a key that does not see the source', async () => {
  await send(1)
  const german = await stage.open('/', { context: { locale: 'de-DE' } })
  await german.page.getByRole('heading', { name: '1 Webhook von Newsroom war nicht verwendbar' }).waitFor()
  await german.page.getByText('Sie haben keine Signatur.', { exact: false }).waitFor()
  await german.page.getByRole('button', { name: 'Verwerfen' }).waitFor()
  const key = await stage.keyOf({ name: 'One site', role: 'editor', site_ids: stage.siteIds })
  const { page } = await stage.open('/', { key })
  await page.getByText('Nothing. Every document is on its way or delivered.').waitFor()
  expect([german.wrong]).toEqual([[]])
})
