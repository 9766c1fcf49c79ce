import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Preview } from '../../src/client/generated/api.ts'
import { findViolations } from '../support/browser.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import { settled, webhookPath } from '../support/galley.ts'
import { type HostileSite, RawResponse, startHostileSite } from '../support/hostile-site.ts'
import { completed } from '../support/webhooks.ts'
import { type Stage, startStage } from './stage.ts'

// The preview in Chromium, against a real service and database, and sites that answer as WordPress does.

let stage: Stage
let sites: HostileSite[]
let ids: string[]
let files: FileServer
beforeAll(async () => {
  stage = await startStage()
  sites = await Promise.all([startHostileSite(), startHostileSite(), startHostileSite()])
  ids = await Promise.all(
    sites.map(({ url }, index) => connect(url, ['Tides', 'Harbour', 'Night sky'][index])),
  )
  files = await serveFiles({ '/moon.png': { type: 'image/png', bytes: png(1200, 800, [20, 90, 160]) } })
})
afterAll(async () => {
  await stage.stop()
  await files.close()
  for (const site of sites) await site.close()
})

async function connect(url: string, name: string | undefined): Promise<string> {
  const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    ...{ url, name, username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' },
    labels: name === 'Night sky' ? ['night'] : ['sea'],
  })
  return body.id
}

const json = (content: unknown, name = 'article.json') => ({
  ...{ name, mimeType: 'application/json' },
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
})

const choose = (page: Page, file: ReturnType<typeof json>) =>
  page.locator('input[type=file]').setInputFiles(file)

/** Chooses a document and shows it on one site. */
async function previewed(page: Page, document: unknown, site = 'Tides') {
  await choose(page, json(document))
  await page.getByRole('checkbox', { name: site, exact: true }).check()
  await page.getByRole('button', { name: 'Show the preview' }).click()
  await page.locator('iframe').waitFor()
  return page.frameLocator('iframe').locator('body')
}

it('shows what is in a file of each kind, pictures of a Word document too, and offends against no policy', async () => {
  const { page, wrong } = await stage.open('/preview')
  const frame = page.frameLocator('iframe')
  const show = async (name: string, buffer: ReturnType<typeof json>['buffer'], words: string) => {
    await choose(page, { name, mimeType: 'application/octet-stream', buffer })
    await page.getByRole('heading', { name }).waitFor()
    await page.getByRole('checkbox', { name: 'Tides', exact: true }).check()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await frame.getByText(words).first().waitFor()
  }
  await show('no-title.md', Buffer.from('A `<b style="x">` is bold.'), 'A <b style="x"> is bold.')
  await show('page.html', Buffer.from('<h1>Tides</h1><p>The <b>sea</b> rises.'), 'The sea rises.')
  const word = readFileSync('test/fixtures/formats/docx/pandoc-inline_images.docx')
  await show('article.docx', word, 'This picture')
  expect(await frame.locator('.file.img').count()).toBe(2)
  expect(wrong).toEqual([])
})

const textOf = (page: Page) => page.getByLabel('Write or paste a text')

const paste = (page: Page, target: string, clipboard: Record<string, string>) =>
  page
    .locator(target)
    .first()
    .evaluate((element, data) => {
      const clipboardData = new DataTransfer()
      for (const [type, text] of Object.entries(data)) clipboardData.setData(type, text)
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      element.dispatchEvent(event)
      return undefined
    }, clipboard)

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe('one site', () => {
  it('shows the post as the editor will, with what it brings and loses, and writes nothing', async () => {
    const { page, wrong } = await stage.open('/preview')
    const document = completed({
      siteId: ids[0],
      title: 'Why the tide comes twice',
      categories: ['Sea'],
      blocks: [
        { type: 'heading', level: 2, text: 'The moon' },
        { type: 'image', url: `${files.url}/moon.png`, alt: 'A full moon' },
        { type: 'image', url: `${files.url}/gone.png`, alt: 'Not there' },
        { type: 'table', headers: ['Hour', 'Height'], rows: [['6', '4 m']] },
      ],
    })
    await choose(page, json(document))
    // The site that the webhook names is chosen already.
    await page.getByRole('checkbox', { name: 'Tides', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Show the preview' }).click()

    const post = page.frameLocator('iframe')
    await post.getByRole('heading', { name: 'Why the tide comes twice', level: 1 }).waitFor()
    await post.getByRole('heading', { name: 'The moon', level: 2 }).waitFor()
    await post.getByText('A full moon').waitFor()
    await post.getByRole('cell', { name: '4 m' }).waitFor()
    await page.getByText('Would be delivered').waitFor()
    await region(page, 'New in the media library').getByText('image/png').waitFor()
    await region(page, 'Lost or changed').getByText('gone.png').first().waitFor()
    await region(page, 'Categories and tags').getByText('Would be created').waitFor()
    await page.getByText('Markup', { exact: true }).click()
    await page.getByText('<!-- wp:heading -->').waitFor()
    expect(sites[0]?.posts.size).toBe(0)
    expect(wrong).toEqual([])
  })

  it('has the styles of the site in the frame, without what they would load, and asks the site for nothing', async () => {
    const site = sites[0] as HostileSite
    const styles = `
      </style><script>top.got='style'</script> {}
      @import url(${site.url}/imported.css);
      @font-face { font-family: Tidal; src: url(${site.url}/tidal.woff2) }
      body { font-family: Tidal, serif; background: #123456 url(${site.url}/back.png) }
      p { color: rgb(1, 2, 3); cursor: u\\72l(${site.url}/cursor.png), auto; --x: url("${site.url}/x") }
      p::after { content: url(${site.url}/after.png) } \0 h1 { content: "</style>" `
    const linked = '<link rel="stylesheet" href="/style.css"><style>h1 { letter-spacing: 3px }</style>'
    site.lie({
      page: () => new RawResponse(200, linked, { 'content-type': 'text/html' }),
      nothing: (answer, { url }) =>
        url === '/style.css' ? new RawResponse(200, styles, { 'content-type': 'text/css' }) : answer,
    })
    const { page, wrong } = await stage.open('/preview')
    const body = await previewed(page, completed())
    await page.getByText('With the styles of the site').waitFor()
    const colour = () => body.evaluate("getComputedStyle(document.querySelector('p')).color")
    await expect.poll(colour).toBe('rgb(1, 2, 3)')
    const seen = await body.evaluate(
      '[getComputedStyle(document.body).fontFamily, getComputedStyle(document.body).background]',
    )
    expect(seen).toEqual(['Tidal, serif', expect.stringMatching(/^rgb\(18, 52, 86\)(?!.*url)/)])
    // The last rule of a style sheet that breaks off is its own, and the next goes on.
    expect(await body.evaluate("getComputedStyle(document.querySelector('h1')).letterSpacing")).toBe('3px')
    expect(await page.evaluate('window.got ?? null')).toBe(null)
    // `wrong` has every request of the browser to anywhere but Galley, and every offence against the policy.
    expect(wrong).toEqual([])
    expect(site.received.filter(({ url }) => /imported|tidal|back|cursor|after|\/x$/.test(url))).toEqual([])
    site.lie({})
  })

  it('has plain styles where those of the site cannot be had, and says so', async () => {
    const { page, wrong } = await stage.open('/preview')
    const body = await previewed(page, completed(), 'Harbour')
    await page.getByText('With plain styles, not those of the site. The styles of').waitFor()
    const inset = () => body.evaluate('getComputedStyle(document.body).maxWidth')
    await expect.poll(inset).toBe('680px')
    expect(wrong).toEqual([])
  })

  it('takes a file that is dropped, and one that is a document alone', async () => {
    const { page, wrong } = await stage.open('/preview')
    await textOf(page).waitFor()
    const { content } = completed({ title: 'Dropped' }).data as { content: unknown }
    const transfer = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([${JSON.stringify(JSON.stringify(content))}], 'dropped.json'))
        return transfer
      })()`,
    )
    await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
    await page.getByRole('heading', { name: 'dropped.json' }).waitFor()
    await page.getByText('Dropped', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Tides', exact: true }).check()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await page.frameLocator('iframe').getByRole('heading', { name: 'Dropped', level: 1 }).waitFor()
    expect(wrong).toEqual([])
  })

  it('says what a site answers that cannot be asked', async () => {
    sites[0]?.lie({ 'users/me': () => new RawResponse(401, '{"code":"incorrect_password","message":"No."}') })
    const { page, wrong } = await stage.open('/preview')
    await choose(page, json(completed({ siteId: ids[0] })))
    await page.getByRole('button', { name: 'Show the preview' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('That did not work').waitFor()
    sites[0]?.lie({})
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.locator('iframe').waitFor()
    expect(wrong).toEqual([])
  })
})

describe('what is shown', () => {
  it('fits, and axe-core finds nothing', async () => {
    const { page, wrong } = await stage.open('/preview', {
      context: { viewport: { width: 320, height: 900 }, reducedMotion: 'reduce' },
    })
    const show = () => page.getByRole('button', { name: 'Show the preview' }).click()
    /** At every width; colours alone differ in the dark. */
    const look = async (name: string) => {
      for (const width of [1440, 768, 320]) {
        await page.setViewportSize({ width, height: 900 })
        await expect.poll(() => page.evaluate(beside), { message: `${name} at ${width} px` }).toBe(0)
      }
      expect(await findViolations(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html[data-scheme=dark]').waitFor({ state: 'attached' })
      expect(await findViolations(page, 'color-contrast')).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
      await page.locator('html[data-scheme=light]').waitFor({ state: 'attached' })
    }
    await textOf(page).waitFor()
    await choose(page, json(rich()))
    await page.getByRole('checkbox', { name: 'Tides', exact: true }).check()
    await show()
    await page.frameLocator('iframe').getByText('A full moon').waitFor()
    await look('the preview of one site')
    await page.getByRole('checkbox', { name: 'All sites' }).check()
    await show()
    await page.getByText('3 of 3 sites asked').waitFor()
    await look('the table of all sites')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('table', { name: 'On each site' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(wrong).toEqual([])
  })

  const beside = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth'

  const rich = () => ({
    ...completed({
      title: 'Why the tide comes twice a day',
      description: 'The moon explains the first high tide; the second is the surprise.',
      featured_image: `${files.url}/moon.png`,
      blocks: [
        { type: 'paragraph', text: 'The moon explains the first high tide of a day.' },
        { type: 'image', url: `${files.url}/moon.png`, alt: 'A full moon', caption: 'Low water.' },
        { type: 'heading', level: 2, text: 'The second one' },
        { type: 'list', ordered: false, items: ['The earth is pulled too', 'What is left behind rises'] },
        { type: 'quote', value: 'Time and tide wait for none.' },
        {
          type: 'table',
          headers: ['Hour', 'Height'],
          rows: [
            ['6', '4 m'],
            ['12', '1 m'],
          ],
        },
        { type: 'code', value: 'height(t) = a * cos(w * t)' },
        { type: 'image', url: `${files.url}/gone.png`, alt: 'Not there' },
      ],
    }),
    delivery: { post_status: 'publish', metadata: { categories: ['Sea', 'News > Local'], tags: ['moon'] } },
  })
})

describe('what is hostile', () => {
  const HOSTILE = `</h1><script>top.got='script'</script><img src=x onerror="top.got='img'"><style>*{display:none}</style><iframe srcdoc="<b>x"></iframe><form action=//x.test><button>Go</button></form>`

  it('a document stays the text that it is', async () => {
    const { page, wrong } = await stage.open('/preview')
    const body = await previewed(page, {
      ...completed({
        title: HOSTILE,
        description: HOSTILE,
        blocks: [
          { type: 'paragraph', content: [{ type: 'text', text: HOSTILE }] },
          { type: 'paragraph', content: [{ type: 'link', href: 'javascript:top.got=1', text: 'a link' }] },
          { type: 'code', value: HOSTILE },
          { type: 'image', url: `javascript:top.got='url'`, alt: HOSTILE },
          { type: 'nothing-known', text: HOSTILE },
        ],
      }),
      delivery: { metadata: { categories: [HOSTILE.slice(0, 150)], tags: [] } },
    })
    await body.getByText(`top.got='script'`).first().waitFor()
    await page.getByText('Markup', { exact: true }).click()
    expect(await made(page)).toEqual({ got: null, made: 0, title: 'New post · Galley' })
    expect(wrong).toEqual([])
  })

  it('markup that is none of Galley’s is shown without what runs, loads or leads away', async () => {
    const { page, wrong } = await stage.open('/preview')
    // What no document makes Galley answer: the page trusts the answer no more than the document.
    await page.route('**/v1/sites/*/preview', async (route) => {
      const response = await route.fetch()
      const { data } = (await response.json()) as { data: Preview }
      const content = `<p onclick="top.got=1" style="position:fixed;inset:0" id="x">kept</p>${HOSTILE}
        <meta http-equiv="refresh" content="0;url=https://x.test/"><base href="https://x.test/"><link rel="stylesheet" href="https://x.test/a.css">
        <svg onload="top.got='svg'"><a href="javascript:top.got=1">x</a></svg><math><mtext><img src=x onerror="top.got=1"></mtext></math>
        <a href="https://x.test/" target="_top">away</a><object data="https://x.test/"></object><video src="https://x.test/v" poster="https://x.test/p"></video>
        <template><script>top.got=1</script></template><input autofocus onfocus="top.got=1"><table background="https://x.test/t"><tr><td>cell</td></tr></table>`
      await route.fulfill({
        response,
        json: { success: true, data: { ...data, post: { ...data.post, content } } },
      })
    })
    const body = await previewed(page, completed())
    await body.getByText('kept').waitFor()
    await body.getByText('cell').waitFor()
    const left = await body
      .locator('*')
      .evaluateAll((elements: { localName: string; getAttributeNames(): string[] }[]) =>
        elements.flatMap((one) => [one.localName, ...one.getAttributeNames().map((name) => `@${name}`)]),
      )
    const known = 'main div h1 p a span b i math mtext table tbody tr td @class @title'.split(' ')
    expect(left.filter((name) => !known.includes(name))).toEqual([])
    await body.getByText('away').waitFor()
    expect(await made(page)).toEqual({ got: null, made: 0, title: 'New post · Galley' })
    expect(page.frames()).toHaveLength(2)
    // Chromium tells of what a parsed document would not be allowed, though nobody runs it.
    expect(wrong.filter((text) => !text.endsWith('The action has been blocked.'))).toEqual([])
  })

  it('the frame itself runs nothing, whatever is put into it', async () => {
    const { page } = await stage.open('/preview')
    await previewed(page, completed())
    const frame = page.locator('iframe')
    expect(await frame.getAttribute('sandbox')).toBe('')
    const content = `<script>top.got='script'</script><img src=x onerror="top.got='img'"><body onload="top.got='body'"><p>${HOSTILE}</p><p>there</p>`
    // The styles of the site may come meanwhile, and with them another frame.
    await expect
      .poll(async () => {
        await frame.evaluate((one, srcdoc) => Object.assign(one, { srcdoc }) && undefined, content)
        await page.waitForTimeout(500)
        return page.frameLocator('iframe').getByText('there').count()
      })
      .toBe(1)
    await pause(300)
    expect(await page.evaluate('window.got ?? null')).toBe(null)
  })

  it('a file that has no document is refused in words', async () => {
    const { page, wrong } = await stage.open('/preview')
    for (const [content, name, words] of [
      ['<html><script>top.got = 1</script></html>', 'page.json', 'page.json is no JSON'],
      ['{"event": "document.failed", "id": "x"}', 'failed.json', 'There is no document in failed.json'],
      ['"x"', 'text.json', 'There is no document in text.json'],
      ['PK', 'article.docx', 'article.docx is no Word document'],
    ] as const) {
      await choose(page, json(content, name))
      await page.getByRole('alert').getByText(words).waitFor()
      expect(await page.getByRole('button', { name: 'Show the preview' }).isDisabled()).toBe(true)
    }
    expect(await page.evaluate('window.got ?? null')).toBe(null)
    expect(wrong).toEqual([])
  })

  it.each([
    ['5 MB of one paragraph', completed({ blocks: [{ type: 'paragraph', text: HOSTILE.repeat(30_000) }] })],
    ['no content', completed({ blocks: [] })],
    [
      'brackets without end',
      `{"title": "x", "content": {"content": [${'['.repeat(500_000)}${']'.repeat(500_000)}]}}`,
    ],
  ])('a document with %s is refused in Galley’s words', async (_, document) => {
    const { page, wrong } = await stage.open('/preview')
    await choose(page, json(document))
    await page.getByRole('checkbox', { name: 'Tides', exact: true }).check()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await page.getByRole('alert').getByText('That did not work').waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
    expect(await page.evaluate('window.got ?? null')).toBe(null)
    expect(wrong).toEqual([])
  })

  /** What came of it in the page around the frame. */
  const made = (page: Page) =>
    page.evaluate(`({
      got: window.got ?? null,
      made: document.querySelectorAll('main img, main form[action], main iframe iframe, main style').length,
      title: document.title,
    })`)
})

describe('many sites', () => {
  const table = (page: Page) => page.getByRole('table', { name: 'On each site' })

  it('shows what each would make, lose and refuse, and each by itself', async () => {
    sites[1]?.lie({
      'users/me': (answer) => ({ ...answer, capabilities: { edit_posts: true, upload_files: true } }),
    })
    sites[2]?.lie({ 'users/me': () => new RawResponse(401, '{"code":"incorrect_password","message":"No."}') })
    const { page, wrong } = await stage.open('/preview')
    // The site that does not answer comes last, as one for which the time was too short.
    let answerLate = () => {}
    const late = new Promise<void>((resolve) => {
      answerLate = resolve
    })
    let rounds = 0
    await page.route('**/v1/preview/matrix', async (route) => {
      const first = rounds++ === 0
      if (!first) await late
      const response = await route.fetch()
      const { data } = await response.json()
      const rows = data.map((one: { outcome: string }) =>
        first && one.outcome === 'unanswered' ? { ...one, outcome: 'not_asked' } : one,
      )
      await route.fulfill({ response, json: { data: rows } })
    })
    await choose(page, json({ ...completed(), delivery: { metadata: { categories: ['Sea'], tags: [] } } }))
    await page.getByRole('checkbox', { name: 'All sites' }).check()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    const names = () => table(page).getByRole('button').allTextContents()
    const top = async () => (await table(page).getByRole('row').nth(1).boundingBox())?.y
    const row = (name: string) => table(page).getByRole('row').filter({ hasText: name })
    await row('Tides').getByText('Would be delivered').waitFor()
    await row('Tides').getByText('Category: Sea').waitFor()
    await row('Harbour').getByRole('cell').nth(2).getByText('Category: Sea').waitFor()
    const [before, at] = [await names(), await top()]
    answerLate()
    await row('Night sky').getByText('No answer from the site').waitFor()
    await page.getByText('3 of 3 sites asked').waitFor()
    await page.getByRole('button', { name: 'Deliver to 2 sites' }).waitFor()
    expect(await top(), 'no row moves while sites answer').toBe(at)
    expect(await names()).toEqual([...before, 'Night sky'])
    await page.getByRole('button', { name: 'Most urgent first' }).click()
    await expect.poll(names).toEqual(['Night sky', ...before])

    await row('Tides').getByRole('button', { name: 'Tides' }).click()
    await page.locator('iframe').waitFor()
    await page.getByRole('button', { name: 'Back to all sites' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Tides')
    for (const site of sites) {
      site.lie({})
      expect(site.posts.size).toBe(0)
    }
    expect(wrong).toEqual([])
  })

  it('of a label', async () => {
    const { page, wrong } = await stage.open('/preview')
    await choose(page, json(completed()))
    await page.getByLabel('And sites with one of these labels').fill('night')
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await page.getByText('1 of 1 site asked').waitFor()
    await table(page).getByRole('row').filter({ hasText: 'Night sky' }).waitFor()

    await page.getByLabel('And sites with one of these labels').fill('nowhere')
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await page.getByRole('heading', { name: 'No site has one of these labels' }).waitFor()
    expect(wrong).toEqual([])
  })
})

describe('a document that came', () => {
  it('is taken as it was received, from a list or from its delivery', async () => {
    const path = await webhookPath(stage.galley)
    const document = completed({ siteId: ids[2], title: 'Came before' })
    await stage.galley.call('POST', path, document)
    await settled(stage.galley, document.id)
    const { page, wrong } = await stage.open('/preview')
    await page.getByRole('button', { name: 'Use one you have received' }).click()
    await page.getByLabel('Search for a title').fill('Came before')
    await page.getByRole('button', { name: 'Came before' }).click()
    await page.getByRole('checkbox', { name: 'Night sky', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    const post = page.frameLocator('iframe').getByRole('heading', { name: 'Came before', level: 1 })
    await post.waitFor()

    // Delivered from here, it is a newer version of the same post.
    await page.getByRole('button', { name: 'Deliver as a draft' }).click()
    await page.waitForURL(/\/deliveries\/[\da-f-]{36}$/)
    await page.getByText('Delivered', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Preview' }).click()
    await page.getByRole('checkbox', { name: 'Night sky', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await post.waitFor()
    expect(
      [...(sites[2]?.posts.values() ?? [])].filter(({ title }) => title.raw === 'Came before'),
    ).toHaveLength(1)
    expect(wrong).toEqual([])
  })

  it('says so where it is no longer kept', async () => {
    const document = completed({ siteId: ids[2] })
    await stage.galley.call('POST', await webhookPath(stage.galley), document)
    const { rows } = await stage.pool.query(
      'UPDATE event SET body = NULL WHERE document_id = $1 RETURNING id',
      [document.id],
    )
    const { page, wrong } = await stage.open(`/preview?event=${rows[0].id}`)
    await page.getByRole('alert').getByText('is no longer kept').waitFor()
    expect(wrong).toEqual([])
  })
})

describe('delivering', () => {
  it('hands it over once, though it is asked for again, and leads to the delivery', async () => {
    const { page, wrong } = await stage.open('/preview')
    const document = completed({ title: 'From the preview' })
    await previewed(page, document, 'Harbour')
    // The first answer is lost on the way.
    await page.route(
      '**/v1/deliveries',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    const deliver = page.getByRole('button', { name: 'Deliver as a draft' })
    await deliver.click()
    await page.getByRole('alert').getByText('Galley does not answer').waitFor()
    await deliver.click()
    await page.waitForURL(/\/deliveries\/[\da-f-]{36}$/)
    await page.getByRole('heading', { name: 'From the preview', level: 1 }).waitFor()
    await page.getByText('Delivered', { exact: true }).waitFor()
    const { rows } = await stage.pool.query('SELECT count(*)::int AS n FROM event WHERE document_id = $1', [
      document.id,
    ])
    expect(rows).toEqual([{ n: 1 }])
    expect(sites[1]?.posts.size).toBe(1)
    // A lost answer is the browser's to tell of.
    expect(wrong.filter((text) => !/net::ERR_FAILED/.test(text))).toEqual([])
  })

  it('to several sites, and leads to their deliveries', async () => {
    const { page, wrong } = await stage.open('/preview')
    await choose(page, json(completed({ title: 'To the sea' })))
    await page.getByLabel('And sites with one of these labels').fill('sea')
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await page.getByRole('button', { name: 'Deliver to 2 sites' }).click()
    await page.waitForURL(/\/deliveries\?document_id=/)
    await page.getByRole('link', { name: 'To the sea' }).nth(1).waitFor()
    expect(wrong).toEqual([])
  })

  it('is offered to nobody who may not', async () => {
    const { body } = await stage.galley.call<{ data: { key: string } }>('POST', '/v1/keys', {
      ...{ name: 'Ed', role: 'editor' },
    })
    const { page, wrong } = await stage.open('/preview', { key: body.data.key })
    await previewed(page, completed())
    await page.getByText('Would be delivered').waitFor()
    expect(await page.getByRole('button', { name: /^Deliver/ }).count()).toBe(0)
    expect(wrong).toEqual([])
  })
})

// The last: what it sends needs terms, which these sites do not make.
describe('a new post', () => {
  it('is written, seen, and sent with its status and terms, in four clicks', async () => {
    const { page, wrong } = await stage.open('/')
    await page.getByRole('link', { name: 'New post' }).click()
    await textOf(page).fill('The **sea** rises twice a day.')
    await page.getByLabel('Title', { exact: true }).fill('Why the tide comes twice')
    await page.getByRole('checkbox', { name: 'Harbour', exact: true }).check()
    await page.getByLabel('Post status').selectOption('pending')
    await page.getByLabel('Categories').fill('Sea, News > Local')
    await page.getByLabel('Tags').fill('moon')
    const publishAt = page.getByLabel('Publish at')
    await publishAt.focus()
    await page.keyboard.type('0102')
    await page.getByRole('button', { name: 'Show the preview' }).click()
    expect(await publishAt.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
    await publishAt.fill('2140-01-31T09:30')
    await page.getByText('More fields').click()
    await page.getByLabel('Excerpt').fill('Two tides, one moon.')
    await page.getByLabel('Slug').fill('two-tides')
    await page.getByRole('button', { name: 'Show the preview' }).click()
    await page.frameLocator('iframe').getByText('The sea rises twice a day.').waitFor()
    await region(page, 'Categories and tags').getByText('moon').waitFor()
    await page.getByRole('button', { name: 'Deliver for review' }).click()
    await page.waitForURL(/\/deliveries\/[\da-f-]{36}$/)
    const { rows } = await stage.pool.query(
      "SELECT convert_from(body, 'UTF8')::json -> 'delivery' AS delivery FROM event ORDER BY seq DESC LIMIT 1",
    )
    expect(rows[0].delivery).toMatchObject({
      ...{ id: ids[1], content_format: 'markdown', post_status: 'pending' },
      metadata: {
        ...{ categories: ['Sea', 'News > Local'], tags: ['moon'] },
        // The browser's zone is Berlin.
        ...{ publish_at: '2140-01-31T08:30:00.000Z', excerpt: 'Two tides, one moon.', slug: 'two-tides' },
      },
    })
    // The next one is empty.
    await page.getByRole('link', { name: 'New post' }).click()
    expect(await textOf(page).inputValue()).toBe('')
    expect(wrong).toEqual([])
  })

  it('keeps its formats where it was copied from a word processor', async () => {
    const { page, wrong } = await stage.open('/preview')
    await textOf(page).waitFor()
    const html = `<html xmlns:w="urn:x"><head><style>p.MsoNormal {color:red}</style></head><body>
      <p class="MsoNormal" style='margin:0'>The <b style="mso-bidi-font-weight:normal">sea</b> rises.</p></body></html>`
    await paste(page, 'textarea', { 'text/html': html, 'text/plain': 'The sea rises.' })
    await page.getByRole('heading', { name: 'Pasted text' }).waitFor()
    await page.getByLabel('Title', { exact: true }).fill('Pasted')
    await page.getByRole('checkbox', { name: 'Tides', exact: true }).check()
    await page.getByRole('button', { name: 'Show the preview' }).click()
    const post = page.frameLocator('iframe')
    await post.getByRole('heading', { name: 'Pasted', level: 1 }).waitFor()
    await expect.poll(() => post.locator('strong').allTextContents()).toEqual(['sea'])
    await page.getByRole('button', { name: 'Keep the words alone' }).click()
    expect(await textOf(page).inputValue()).toBe('The sea rises.')
    expect(wrong).toEqual([])
  })

  it('is the text itself where that has no formats, or where something is written already', async () => {
    const { page } = await stage.open('/preview')
    await textOf(page).waitFor()
    await paste(page, 'body', {
      'text/html': '<meta charset="utf-8"><div>## Tides</div>',
      'text/plain': '## Tides',
    })
    await expect.poll(() => textOf(page).inputValue()).toBe('## Tides')
    await paste(page, 'textarea', { 'text/html': '<b>x</b>', 'text/plain': 'x' })
    expect(await textOf(page).inputValue()).toBe('## Tides')
  })

  it('is there after a reload, an ended session and an error, and for nobody else', async () => {
    const { page, context } = await stage.open('/preview')
    await textOf(page).fill('# Tides\n\nThe sea rises.')
    await page.getByRole('checkbox', { name: 'Tides', exact: true }).check()
    await page.getByLabel('Tags').fill('moon')
    const isThere = async () => {
      await expect.poll(() => textOf(page).inputValue()).toBe('# Tides\n\nThe sea rises.')
      expect(await page.getByLabel('Tags').inputValue()).toBe('moon')
      await page.getByRole('checkbox', { name: 'Tides', exact: true, checked: true }).waitFor()
    }
    await page.reload()
    await isThere()

    await choose(page, json('{}'))
    await page.getByRole('alert').getByText('There is no document in').waitFor()
    await isThere()

    await context.clearCookies()
    await page.reload()
    await page.getByLabel('API key').fill(stage.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await isThere()

    await context.clearCookies()
    await page.reload()
    const other = await stage.keyOf({ name: 'Somebody else', role: 'owner' })
    await page.getByLabel('API key').fill(other)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => textOf(page).inputValue()).toBe('')
  })

  it('stays what was written while another document is looked at', async () => {
    const { page } = await stage.open('/preview')
    await textOf(page).fill('Written.')
    await choose(page, json(completed({ title: 'Chosen' })))
    await page.getByRole('heading', { name: 'article.json' }).waitFor()
    await page.reload()
    await page.getByText('Chosen', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Write a text instead' }).click()
    expect(await textOf(page).inputValue()).toBe('Written.')
  })
})
