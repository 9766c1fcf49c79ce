import { afterAll, beforeAll, expect, it } from 'vitest'
import { settled } from '../support/galley.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { type Stage, startStage } from './stage.ts'

// From nothing to a post on a real WordPress, with the page alone.

const { url, users } = wordpress()

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

it('leads from a key to a draft that is there', async () => {
  const { page, wrong } = await stage.open('/welcome', { key: null })
  await page.getByLabel('API key').fill(stage.key)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('button', { name: 'With an application password' }).click()
  await page.getByLabel('Address of the site').fill(url)
  await page.getByLabel('User name in WordPress').fill(users.editor.login)
  await page.getByLabel('Application password').fill(users.editor.applicationPassword)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()

  await page.getByRole('button', { name: 'Create the address' }).click()
  const address = page.locator('.g-secret', { hasText: 'Address for documents' }).locator('code')
  const webhook = (await address.textContent()) ?? ''
  await page.getByRole('button', { name: 'From n8n, Zapier or Make' }).click()
  const recipe = page.locator('.g-secret', { hasText: 'Body in JSON' }).locator('code')
  const body = (await recipe.textContent()) ?? ''
  await page.getByRole('button', { name: 'Send the sample' }).click()
  const edit = page.getByRole('link', { name: 'Open the post' })
  await edit.waitFor()
  const id = new URL((await edit.getAttribute('href')) ?? '').searchParams.get('post')
  const read = () =>
    rest<{ status: string; title: { raw: string }; content: { raw: string } }>(
      'editor',
      'GET',
      `/wp/v2/posts/${id}?context=edit`,
    )
  expect(await read()).toMatchObject({ status: 'draft', title: { raw: 'A first document from Galley' } })
  // The example of each block, but for those with files.
  const content = async () => (await read()).content.raw
  await expect.poll(content).toContain('<!-- wp:pullquote')
  expect(await content()).not.toContain('https://example.com/')
  await page.getByRole('heading', { name: 'What comes next' }).waitFor()
  expect(wrong).toEqual([])

  // What an automation tool is told to send is a post as it stands.
  const sent = await fetch(webhook, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect(sent.status).toBe(202)
  const { post } = await settled(stage.galley, 'article-1')
  expect(post).toMatchObject({ status: 'draft' })
  await rest('editor', 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
  await rest('editor', 'DELETE', `/wp/v2/posts/${id}?force=true`)
  // The check of the new site makes a draft of its own, and removes it: who comes after finds the site as it was.
  const sites = () => stage.galley.call<{ data: { report: object | null }[] }>('GET', '/v1/sites')
  await expect.poll(async () => (await sites()).body.data.map(({ report }) => report)).not.toContain(null)
})
