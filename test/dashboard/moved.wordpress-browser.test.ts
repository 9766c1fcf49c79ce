import { afterAll, beforeAll, expect, it } from 'vitest'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { type Stage, startStage } from './stage.ts'

// A site that has moved to another address, connected there again with the page alone.

const { url, users } = wordpress()
const { login, applicationPassword } = users.editor
const LEFT = 'https://moved-away.example'

let stage: Stage
let siteId: string
beforeAll(async () => {
  stage = await startStage()
  const asked = { url, username: login, application_password: applicationPassword }
  siteId = (await stage.galley.call<{ id: string }>('POST', '/v1/sites', asked)).body.id
  const left = [siteId, LEFT, `${LEFT}/wp-json/`]
  await stage.pool.query('UPDATE site SET url = $2, rest_root = $3 WHERE id = $1', left)
})
afterAll(() => stage.stop())

it('is connected under its new address with a password, and what is sent arrives there', async () => {
  const { page, context, wrong } = await stage.open(`/sites/${siteId}?connect=again`)
  const panel = page.getByRole('region', { name: 'Connect the site again' })
  await panel.getByRole('button', { name: 'With an application password' }).click()
  const address = panel.getByLabel('Address of the site')
  await expect.poll(() => address.inputValue()).toBe(LEFT)
  await address.fill(url)
  await panel.getByLabel('Application password').fill(applicationPassword)
  await panel.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('The site is connected again').waitFor()
  await page
    .getByRole('link', { name: new URL(url).host })
    .first()
    .waitFor()

  const document = completed()
  await stage.galley.call('POST', '/v1/deliveries', {
    id: document.id,
    data: document.data,
    delivery: { post_status: 'draft' },
    site_ids: [siteId],
  })
  const { status, post } = await settled(stage.galley, document.id)
  expect(status).toBe('delivered')
  await rest('editor', 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
  expect(wrong).toEqual([])
  await context.close()
})
