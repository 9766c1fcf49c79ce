import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations } from '../support/browser.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { type Stage, startStage } from './stage.ts'

// Posts of a real WordPress that are taken off it, and sent again, on the page.

let stage: Stage
let siteId: string
const posts: number[] = []
beforeAll(async () => {
  stage = await startStage()
  const { url, users } = wordpress()
  const { login, applicationPassword } = users.editor
  const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    ...{ url, username: login, application_password: applicationPassword },
  })
  siteId = body.id
})
afterAll(async () => {
  for (const id of posts) await rest('editor', 'DELETE', `/wp/v2/posts/${id}?force=true`)
  await stage.stop()
})

async function published(): Promise<{ id: string; documentId: string; postId: number }> {
  const { id: documentId, data } = completed({ title: 'Tides' })
  await stage.galley.call('POST', '/v1/deliveries', {
    ...{ id: documentId, data, delivery: { post_status: 'publish' }, site_ids: [siteId] },
  })
  const { id, post } = await settled(stage.galley, documentId)
  const postId = post?.id as number
  posts.push(postId)
  return { id, documentId, postId }
}

const statusInWordPress = async (id: number): Promise<string> =>
  (await rest<{ status: string }>('editor', 'GET', `/wp/v2/posts/${id}?context=edit`)).status

it('a post is withdrawn to a draft, from there to the trash, which is said, and “Send again” brings the same one back', async () => {
  const { id, postId } = await published()
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  const main = page.getByRole('main')
  const menu = main.getByRole('button', { name: 'Actions' })
  const offered = page.getByRole('menuitem', { name: /^Withdraw/ })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Withdraw to draft', exact: true }).click()
  await page.getByText('The post is being withdrawn.', { exact: false }).waitFor()
  await main.getByText('Withdrawn', { exact: true }).waitFor()
  await main.getByText('Withdrawal to a draft', { exact: false }).first().waitFor()
  expect(await statusInWordPress(postId)).toBe('draft')
  await menu.click()
  expect(await offered.allTextContents()).toEqual(['Withdraw to trash'])
  await page.keyboard.press('Escape')
  expect(await findViolations(page)).toEqual([])

  await menu.click()
  await offered.click()
  const said = main.getByText('Withdrawal to the trash', { exact: false })
  await said.first().waitFor()
  await main.getByText('Withdrawn', { exact: true }).waitFor()
  await expect.poll(() => statusInWordPress(postId)).toBe('trash')
  // The page learns a moment later what WordPress says.
  const offeredNow = async () => {
    await menu.click()
    const names = await offered.allTextContents()
    await page.keyboard.press('Escape')
    return names
  }
  await expect.poll(offeredNow).toEqual(['Withdraw to draft'])

  await main.getByRole('button', { name: 'Send again' }).click()
  await main.getByText('Delivered', { exact: true }).waitFor()
  expect(await statusInWordPress(postId)).toBe('publish')
  expect(await said.count()).toBe(0)
  expect(wrong).toEqual([])
})

it('a post that somebody changed is shown beside what Galley wrote, kept, and withdrawn after a second question', async () => {
  const { id, documentId, postId } = await published()
  await rest('editor', 'POST', `/wp/v2/posts/${postId}`, { content: 'Mine.' })
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  const main = page.getByRole('main')
  await main.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Withdraw to trash' }).click()
  const theirs = main.getByRole('region', { name: 'What is on the site now' })
  await theirs.locator('ins', { hasText: 'Mine' }).waitFor()
  await main.getByRole('region', { name: 'What Galley wrote' }).locator('del').first().waitFor()
  await main.getByRole('button', { name: 'Keep the post' }).click()
  await main.getByText('Kept the edited post', { exact: true }).waitFor()
  expect(await statusInWordPress(postId)).toBe('publish')
  await page.locator('.g-notices').getByRole('button', { name: 'Undo', exact: true }).click()
  const anyway = main.getByRole('button', { name: 'Move to the trash anyway' })
  await anyway.click()
  await main.getByText('Their change stays in it', { exact: false }).waitFor()
  expect(await statusInWordPress(postId)).toBe('publish')
  await anyway.click()
  await main.getByText('Withdrawn', { exact: true }).waitFor()
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
  expect(await statusInWordPress(postId)).toBe('trash')
  expect(wrong).toEqual([])
})

it('a withdrawal waits for a paused site, says so, and is cancelled and asked for again', async () => {
  const { id, documentId, postId } = await published()
  await stage.galley.call('POST', `/v1/sites/${siteId}/pause`, {})
  const { page, wrong } = await stage.open(`/deliveries/${id}`)
  const main = page.getByRole('main')
  await main.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Withdraw to trash' }).click()
  await main.getByText('Withdrawal to the trash', { exact: false }).first().waitFor()
  await main.getByText('Waiting: the site is paused').waitFor()
  await main.getByRole('button', { name: 'Cancel', exact: true }).click()
  await main.getByText('Cancelled', { exact: true }).waitFor()
  const notices = page.locator('.g-notices')
  await notices.getByRole('button', { name: 'Undo', exact: true }).click()
  await main.getByText('Withdrawal to the trash', { exact: false }).first().waitFor()
  await stage.galley.call('POST', `/v1/sites/${siteId}/resume`)
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
  expect(await statusInWordPress(postId)).toBe('trash')
  expect(wrong).toEqual([])
})

it('everything that is delivered to a site is moved to the trash in bulk, after a look at what that would be', async () => {
  const made = [await published(), await published()]
  const { page, wrong } = await stage.open(`/deliveries?site_id=${siteId}&status=delivered`)
  await page.getByRole('button', { name: /^Bulk edit all/ }).click()
  const panel = page.getByRole('region', { name: 'Bulk action on deliveries' })
  await panel.getByRole('radio', { name: 'Withdraw' }).check()
  await panel.getByLabel('The posts go').selectOption('to the trash')
  await panel.getByRole('button', { name: 'Start a dry run' }).click()
  const button = page.getByRole('button', { name: /^Withdraw: \d deliver/ })
  await button.waitFor()
  for (const { postId } of made) expect(await statusInWordPress(postId)).toBe('publish')
  await button.click()
  await page.getByRole('heading', { name: 'Result', exact: true }).waitFor()
  for (const { documentId, postId } of made) {
    await expect.poll(async () => (await settled(stage.galley, documentId)).status).toBe('withdrawn')
    expect(await statusInWordPress(postId)).toBe('trash')
  }
  expect(wrong).toEqual([])
})
