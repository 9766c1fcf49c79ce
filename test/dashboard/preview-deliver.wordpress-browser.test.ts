import { afterAll, beforeAll, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { type Stage, startStage } from './stage.ts'

// From a file to a post on a real WordPress: what the preview shows is what stands there then.

const { url, users } = wordpress()

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

it('leads from a file through the preview to the post that it showed', async () => {
  const { login, applicationPassword } = users.editor
  await stage.galley.call('POST', '/v1/sites?check=false', {
    ...{ url, name: 'The paper', username: login, application_password: applicationPassword },
  })
  const document = completed({
    title: 'Seen before',
    blocks: [
      { type: 'heading', level: 2, text: 'Tides & <moons>' },
      { type: 'list', ordered: true, items: ['one', 'two'] },
      { type: 'table', headers: ['Hour', 'Height'], rows: [['6', '4 m']] },
    ],
  })
  const { page, wrong } = await stage.open('/preview')
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: 'article.json', mimeType: 'application/json' },
    buffer: Buffer.from(JSON.stringify(document)),
  })
  await page.getByRole('checkbox', { name: 'The paper' }).check()
  await page.getByRole('button', { name: 'Show the preview' }).click()
  const post = page.frameLocator('iframe')
  await post.getByRole('heading', { name: 'Seen before', level: 1 }).waitFor()
  await post.getByRole('heading', { name: 'Tides & <moons>', level: 2 }).waitFor()
  // As the theme of the site has it, which the browser asks for nothing (`wrong`).
  await page.getByText('With the styles of the site').waitFor()
  const visited = await stage.browser.newPage()
  await visited.goto(url)
  const ofTheme = (await visited.evaluate(`(() => {
    const { fontFamily } = getComputedStyle(document.body)
    const width = getComputedStyle(document.body).getPropertyValue('--wp--style--global--content-size')
    return { fontFamily, width }
  })()`)) as { fontFamily: string; width: string }
  await visited.close()
  expect(ofTheme).toEqual({
    fontFamily: expect.stringContaining(','),
    width: expect.stringMatching(/^6\d\dpx$/),
  })
  const inFrame = () =>
    post.locator('body').evaluate(`({
      fontFamily: getComputedStyle(document.body).fontFamily,
      width: getComputedStyle(document.querySelector('.wp-block-post-content > ol')).maxWidth,
    })`)
  await expect.poll(inFrame).toEqual(ofTheme)
  await page.getByText('Markup', { exact: true }).click()
  const markup = await page.locator('pre').textContent()

  await page.getByRole('button', { name: 'Deliver as a draft' }).click()
  await page.getByRole('heading', { name: 'Seen before', level: 1 }).waitFor()
  const edit = page.getByRole('link', { name: 'Edit in WordPress' })
  await edit.waitFor()
  await page.getByText('Delivered', { exact: true }).waitFor()
  const id = new URL((await edit.getAttribute('href')) ?? '').searchParams.get('post')
  const stands = await rest<{ status: string; content: { raw: string } }>(
    'editor',
    'GET',
    `/wp/v2/posts/${id}?context=edit`,
  )
  expect(stands).toMatchObject({ status: 'draft', content: { raw: markup } })
  expect(wrong).toEqual([])
  await rest('editor', 'DELETE', `/wp/v2/posts/${id}?force=true`)
})

it('leads from a form to a post with the fields of WordPress’s sidebar', async () => {
  const { login, applicationPassword } = users.editor
  await stage.galley.call('POST', '/v1/sites?check=false', {
    ...{ url, name: 'The gazette', username: login, application_password: applicationPassword },
  })
  const { page, wrong } = await stage.open('/preview')
  await page.getByLabel('Write or paste a text').fill('The **sea** rises twice a day.')
  await page.getByLabel('Title', { exact: true }).fill('With its fields')
  await page
    .getByRole('checkbox', { name: /The (gazette|paper)/ })
    .first()
    .check()
  await page.getByText('More fields').click()
  await page.getByLabel('Excerpt').fill('Two tides, one moon.')
  await page.getByLabel('Slug').fill('with-its-fields')
  await page.getByLabel('Password of the post').fill('low tide')
  await page.getByLabel('Comments').selectOption('Not allowed')
  await page.getByLabel('Post format').selectOption('Aside')
  await page.getByRole('button', { name: 'Add a field' }).click()
  await page.getByLabel('Field', { exact: true }).fill('subtitle')
  await page.getByLabel('Value').fill('What the moon does')
  await page.getByRole('button', { name: 'Show the preview' }).click()
  const fields = page.getByRole('region', { name: 'Fields of the post' })
  await fields.getByRole('listitem').filter({ hasText: 'Post format' }).getByText('Aside').waitFor()
  await fields.getByRole('listitem').filter({ hasText: 'subtitle' }).getByText('Would be left out').waitFor()
  await page.getByText('does not show the field “subtitle”').first().waitFor()
  await page.getByRole('button', { name: 'Deliver as a draft' }).click()
  const edit = page.getByRole('link', { name: 'Edit in WordPress' })
  await edit.waitFor()
  await page.getByText('Delivered', { exact: true }).waitFor()
  const id = new URL((await edit.getAttribute('href')) ?? '').searchParams.get('post')
  const stands = await rest<{ excerpt: { raw: string } }>('editor', 'GET', `/wp/v2/posts/${id}?context=edit`)
  expect(stands).toMatchObject({
    ...{ slug: 'with-its-fields', password: 'low tide', comment_status: 'closed', format: 'aside' },
    excerpt: { raw: 'Two tides, one moon.' },
  })
  expect(wrong).toEqual([])
  await rest('editor', 'DELETE', `/wp/v2/posts/${id}?force=true`)
})
