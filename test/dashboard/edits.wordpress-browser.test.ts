import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { Pointer, type Stage, startStage } from './stage.ts'

// A post on a real WordPress that somebody has edited, and what is decided about it on the page.

const { url, users } = wordpress()

let stage: Stage
let siteId: string
const posts: number[] = []
beforeAll(async () => {
  stage = await startStage()
  const { login, applicationPassword } = users.editor
  const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    url,
    username: login,
    application_password: applicationPassword,
  })
  siteId = body.id
})
afterAll(async () => {
  for (const id of posts) await rest('editor', 'DELETE', `/wp/v2/posts/${id}?force=true`)
  await stage.stop()
})

const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] })

/** A delivery that is held, since its post was edited before its second version came. */
async function heldEdit(newer = [paragraph('A newer text.')]) {
  const first = completed({
    title: 'Tides',
    blocks: [paragraph('The tide comes twice a day.'), paragraph('The moon pulls at the water.')],
  })
  const send = (document: Record<string, unknown>, post_status: 'draft' | 'publish') =>
    stage.galley.call('POST', '/v1/deliveries', {
      id: first.id,
      data: document.data,
      delivery: { post_status },
      site_ids: [siteId],
    })
  await send(first, 'draft')
  const { post } = await settled(stage.galley, first.id)
  const postId = post?.id as number
  posts.push(postId)
  const { content } = await readPost(postId)
  await rest('editor', 'POST', `/wp/v2/posts/${postId}`, {
    content: content.raw.replace('twice a day', 'two times each day, as sailors know'),
  })
  await send(completed({ title: 'Tides', blocks: newer }), 'publish')
  await expect.poll(async () => (await settled(stage.galley, first.id)).status).toBe('held')
  const { id } = await settled(stage.galley, first.id)
  return { id, postId }
}

const readPost = (id: number) =>
  rest<{ status: string; content: { raw: string } }>('editor', 'GET', `/wp/v2/posts/${id}?context=edit`)

describe('a held edit', () => {
  it('is resolved from Start in three clicks: three texts, marked without colour, ours taken after asking; and undone', async () => {
    const { postId } = await heldEdit()
    const { page, wrong } = await stage.open('/')
    const pointer = new Pointer()
    await pointer.click(page.getByRole('link', { name: 'Compare the texts', exact: true }))
    await page.getByRole('heading', { name: 'Somebody edited “Tides” after it was delivered' }).waitFor()
    const galley = page.getByRole('region', { name: 'What Galley wrote' })
    await galley.getByText('The tide comes twice a day.').waitFor()
    const theirs = page.getByRole('region', { name: 'What is on the site now' })
    await theirs.locator('ins', { hasText: 'sailors' }).waitFor()
    expect(await theirs.locator('del').count()).toBe(0)
    const ours = page.getByRole('region', { name: 'What the new version says' })
    await ours.locator('ins', { hasText: 'newer' }).waitFor()

    await page.getByText('except for a password that the new version sets', { exact: false }).waitFor()
    await pointer.click(page.getByRole('button', { name: 'Take ours: the post' }))
    const sure = page.getByRole('group', { name: 'This replaces their text on the site.' })
    await pointer.click(sure.getByRole('button', { name: 'Take ours' }))
    await page.getByText('Delivered', { exact: true }).waitFor()
    expect(pointer.clicks).toBeLessThanOrEqual(3)
    expect((await readPost(postId)).content.raw).toContain('A newer text.')

    await page.getByRole('heading', { name: 'The edited text was replaced' }).waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Kept the edited post', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'The edited text was replaced' }).waitFor({ state: 'detached' })
    const { status, content } = await readPost(postId)
    expect({ status, raw: content.raw }).toEqual({
      status: 'draft',
      raw: expect.stringContaining('as sailors know'),
    })
    expect(wrong).toEqual([])
  })

  it('keeps their text, which can be undone, and writes a merge that was chosen and previewed', async () => {
    const { id, postId } = await heldEdit([
      paragraph('The tide comes and goes.'),
      paragraph('The moon pulls at the water.'),
      paragraph('Boats wait.'),
    ])
    const { page, wrong } = await stage.open(`/deliveries/${id}`)
    await page.getByRole('button', { name: 'Keep theirs' }).click()
    await page.getByText('Kept the edited post', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Somebody edited “Tides” after it was delivered' }).waitFor()
    expect((await readPost(postId)).content.raw).toContain('as sailors know')

    const preview = page.getByRole('button', { name: 'Preview the merge' })
    await preview.waitFor()
    expect(await preview.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Use theirs' }).click()
    await preview.click()
    const shown = page.frameLocator('iframe.g-frame-of-post')
    await shown.getByText('as sailors know').waitFor()
    await page.getByRole('button', { name: 'Write the merge' }).click()
    await page.getByText('Delivered', { exact: true }).waitFor()
    const merged = (await readPost(postId)).content.raw
    expect(merged).toContain('as sailors know')
    expect(merged).toContain('Boats wait.')
    expect(wrong).toEqual([])
  })

  it('sets the status alone, on a narrow screen with the texts one below the other', async () => {
    const { id, postId } = await heldEdit()
    const { page, wrong } = await stage.open(`/deliveries/${id}`, {
      context: { viewport: { width: 320, height: 800 } },
    })
    const [ours, theirs] = [
      page.getByRole('region', { name: 'What Galley wrote' }),
      page.getByRole('region', { name: 'What is on the site now' }),
    ]
    await theirs.locator('ins').first().waitFor()
    const [above, below] = [await ours.boundingBox(), await theirs.boundingBox()]
    expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0))
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(320)
    await page.getByRole('button', { name: 'Set the status only' }).click()
    await page.getByText('Delivered', { exact: true }).waitFor()
    const post = await readPost(postId)
    expect(post.status).toBe('publish')
    expect(post.content.raw).toContain('as sailors know')
    expect(wrong).toEqual([])
  })
})

describe('the settings of a site', () => {
  it('are chosen among the names that the site has', async () => {
    const { name } = await rest<{ name: string }>('editor', 'GET', '/wp/v2/users/me?context=edit')
    const { page, wrong } = await stage.open(`/sites/${siteId}`)
    await page.getByRole('button', { name: 'Change the settings' }).click()
    await page.getByLabel('Documents become').selectOption('Pages')
    await page.getByLabel('Author').selectOption(name)
    await page.getByRole('checkbox', { name: 'Uncategorized' }).check()
    await page
      .getByLabel('A picture that cannot be added to the media library')
      .selectOption('It is left out')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The settings are stored.').waitFor()
    const { body } = await stage.galley.call<{ data: { settings: object } }>('GET', `/v1/sites/${siteId}`)
    expect(body.data.settings).toMatchObject({
      post_type: 'pages',
      author: name,
      default_categories: ['Uncategorized'],
      picture_policy: 'drop',
      term_policy: 'create',
    })
    expect(wrong).toEqual([])
  })
})
