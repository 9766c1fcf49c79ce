import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FORBIDDEN, type Loopback, startLoopback } from '../generation/contract/model.ts'
import { type Stage, startStage } from './stage.ts'

// Documents, audio and images in Chromium: ordered, followed and read, against a real service and database, with a
// provider on loopback that answers as one of language models does.

let stage: Stage
let model: Loopback
let dataDir: string
beforeAll(async () => {
  model = await startLoopback()
  dataDir = await mkdtemp(join(tmpdir(), 'galley-documents-'))
  stage = await startStage({ sites: 4, deliveries: 8 }, { providers: model.providers, dataDir })
})
afterAll(async () => {
  await stage.stop()
  await model.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const HOSTILE = `<img src=x onerror="window.got=1"><script>window.got=2</script><style>*{display:none}</style>`

/** What must not have come to be out of a text. */
const made = `[window.got ?? null, document.querySelectorAll('img[src="x"], main script, main style, main iframe').length]`

/** Opens a group of a form, or closes it. */
const fold = (page: Page, title: string) => page.locator('summary').filter({ hasText: title }).click()

const count = async () => (await stage.pool.query('SELECT FROM generation_job')).rowCount

const finished = (page: Page) => page.getByText('Finished', { exact: true }).first().waitFor()

describe('the list', () => {
  it('shows those of a kind or in a state, which stand in the address', async () => {
    const { page, wrong } = await stage.open('/documents')
    const rows = page.getByRole('list', { name: 'Documents' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByLabel('State').selectOption('Under way')
    await expect.poll(() => rows.count()).toBe(1)
    await rows.getByText('Being created').waitFor()
    await page.reload()
    await rows.getByText('Being created').waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByLabel('State').selectOption('Failed')
    await rows.getByText('declines to write this').waitFor()
    await page.getByLabel('Kind').selectOption('Image')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByLabel('Kind').selectOption('Any')
    await rows.getByText('declines to write this').waitFor()
    expect(wrong).toEqual([])
  })
})

describe('a document', () => {
  it('is refused in words at its fields, those that are folded too, and priced as it is filled in', async () => {
    const ordered = await count()
    const { page, wrong } = await stage.open('/documents')
    await page.getByRole('link', { name: 'Create a document' }).click()
    await page.getByText('Costs 20 credits.').waitFor()
    await page.getByLabel('With pictures').uncheck()
    await page.getByText('Costs 12 credits.').waitFor()

    await page.getByLabel('Words', { exact: true }).fill('5')
    await page.getByLabel('What it is about').fill('Tides')
    await fold(page, 'Models')
    await page.getByLabel('Tier of models for the document').selectOption('Advanced')
    await fold(page, 'Notify somebody')
    await page.getByLabel('Webhook URL to notify').fill('ftp://example.com')
    await fold(page, 'Notify somebody')
    await page.getByRole('button', { name: 'Create the document' }).click()

    await page.getByRole('alert').waitFor()
    for (const label of ['What it is about', 'Words', 'Webhook URL to notify'])
      await page.getByLabel(label).and(page.locator('[aria-invalid="true"]')).waitFor()
    await page.getByText('must be an http or https address').first().waitFor()
    expect(await count()).toBe(ordered)

    await page.getByLabel('Words', { exact: true }).fill('600')
    await page.getByLabel('Words', { exact: true }).and(page.locator('[aria-invalid="false"]')).waitFor()
    expect(wrong).toEqual([])
  })

  it('is made while one looks on, read, and sent to two sites', async () => {
    const { page, wrong } = await stage.open('/documents/new')
    await page.getByLabel('What it is about').fill('How tides come about, for people at the coast')
    await page.getByLabel('Words', { exact: true }).fill('300')
    await page.getByLabel('With pictures').check()
    await page.getByLabel('Also read aloud').check()
    await page.getByRole('button', { name: 'Create the document' }).click()

    await page.getByRole('heading', { name: 'Steps' }).waitFor()
    await finished(page)
    for (const step of ['Research', 'Text', 'Pictures', 'Narration'])
      await page.getByRole('listitem').filter({ hasText: step }).getByText('Done').waitFor()
    const { rows } = await stage.pool.query(
      `SELECT id, result FROM generation_job WHERE kind = 'document' ORDER BY id DESC LIMIT 1`,
    )
    const { id, result } = rows[0]
    const article = page.getByRole('article', { name: result.title })
    const heading = result.content.content.find(({ type }: { type: string }) => type === 'heading')
    await article.getByRole('heading', { name: heading.text }).waitFor()
    await expect
      .poll(() =>
        article
          .locator('img')
          .evaluateAll((all) =>
            all.every((one) => (one as never as { naturalWidth: number }).naturalWidth > 0),
          ),
      )
      .toBe(true)
    expect(await page.locator('audio').getAttribute('src')).toMatch(/^\/files\//)
    await expect.poll(() => page.evaluate(`document.querySelector('audio').duration`)).toBeGreaterThan(0)

    await page.getByRole('button', { name: 'Deliver to sites' }).click()
    await page.getByRole('checkbox', { name: 'Tides weekly' }).check()
    await page.getByRole('checkbox', { name: 'Harbour news' }).check()
    await page.getByLabel('Tags').fill('tides, coast')
    await page.getByRole('button', { name: 'Deliver', exact: true }).click()
    await page.getByRole('link', { name: 'Tides weekly' }).waitFor()
    await page.getByRole('link', { name: 'Harbour news' }).waitFor()
    const sent = await stage.pool.query(
      `SELECT e.body FROM delivery d JOIN event e ON e.id = d.wanted_event_id WHERE d.document_id = $1`,
      [id],
    )
    expect(sent.rows).toHaveLength(2)
    expect(JSON.parse(String(sent.rows[0].body))).toMatchObject({
      delivery: { post_status: 'draft', metadata: { tags: ['tides', 'coast'] } },
    })

    await stage.pool.query(
      `UPDATE generation_job SET result = result - 'audio', warnings = '[{"code": "narration_left_out", "message": "The voice is gone.", "severity": "loss"}]' WHERE id = $1`,
      [id],
    )
    await stage.pool.query(
      `UPDATE generation_part SET name = 'narration-left-out' WHERE job_id = $1 AND step = 'audio' AND name = 'file'`,
      [id],
    )
    await page.reload()
    await page.getByText('The voice is gone.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Narration' }).getByText('Left out').waitFor()
    expect(await page.locator('audio').count()).toBe(0)
    await page.getByRole('button', { name: 'Create what is missing' }).click()
    await page.locator('audio').waitFor()
    await finished(page)
    await page.getByText('The voice is gone.').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Create what is missing' }).count()).toBe(0)

    // As it is ordered over the API.
    const metadata = { categories: [], tags: ['sea'], author: 'Ada Lovelace', slug: 'tides' }
    const delivery = { id: stage.siteIds[0], post_status: 'pending', on_loss: 'hold', metadata }
    await stage.pool.query('UPDATE generation_job SET request = request || $2 WHERE id = $1', [
      id,
      { delivery },
    ])
    await page.reload()
    const priced = page.waitForRequest((request) => request.postData()?.includes('Ada Lovelace') ?? false)
    await page.getByRole('link', { name: 'Create another like it' }).click()
    await page.getByLabel('Words', { exact: true }).and(page.locator('[value="300"]')).waitFor()
    expect(await page.getByLabel('What it is about').inputValue()).toContain('for people at the coast')
    expect((await priced).postDataJSON()).toMatchObject({
      ...{ site_id: stage.siteIds[0], post_status: 'pending', on_loss: 'hold', tags: ['sea'] },
      metadata: { author: 'Ada Lovelace' },
    })
    expect((await priced).postData(), 'of one document alone').not.toContain('slug')
    expect(wrong).toEqual([])
  })

  it('that is under way shows its steps and parts as they come', async () => {
    const id = stage.jobIds[1]
    const { page, wrong } = await stage.open(`/documents/${id}`)
    const step = page.getByRole('listitem').filter({ hasText: 'Under way' })
    await step.getByText('3 of 9 parts').waitFor()
    await stage.pool.query(
      `INSERT INTO generation_part (job_id, step, name, answer, answered_at) VALUES ($1, 'generating', 'section-3', '{}', now())`,
      [id],
    )
    await step.getByText('4 of 9 parts').waitFor()
    await step.getByText('Its parts').click()
    await step.getByText('Section 3').waitFor()
    await stage.pool.query(
      `INSERT INTO generation_call (id, key, job_id, step, part, provider, model, outcome, usage, cost_micros)
       SELECT id, id, $1, 'generating', 'section-3', 'lab', 'large', 'answered', '{"input_tokens": 12000, "output_tokens": 345}', 12500
       FROM uuidv7() AS id`,
      [id],
    )
    const cost = page.locator('section').filter({ hasText: 'What providers charged' })
    await cost.getByText('0.0125 · 1 request · 12,345 tokens').first().waitFor()
    await cost.getByRole('listitem').filter({ hasText: 'Text · lab/large' }).waitFor()

    const status = async () =>
      (await stage.pool.query('SELECT status FROM generation_job WHERE id = $1', [id])).rows[0].status
    await page.getByRole('button', { name: /^Cancel it/ }).click()
    const question = page.getByRole('group', { name: 'What is made so far is lost.' })
    await question.getByRole('button', { name: 'Leave it' }).click()
    expect(await status()).toBe('generating')
    await page.getByRole('button', { name: /^Cancel it/ }).click()
    await question.getByRole('button', { name: 'Cancel it' }).click()
    await page.getByRole('link', { name: 'Create another like it' }).waitFor()
    expect(await status()).toBe('cancelled')
    expect(wrong).toEqual([])
  })

  it('that failed says why, what to do, and that its credits are back', async () => {
    const { page, wrong } = await stage.open('/documents/new')
    await page.getByLabel('What it is about').fill(`Something ${FORBIDDEN} by everybody`)
    await page.getByRole('button', { name: 'Create the document' }).click()
    const told = page.locator('section').filter({ hasText: 'What went wrong' })
    await told.getByText('Rephrase the prompt').waitFor()
    expect(await told.getByText('CONTENT_MODERATION').count()).toBe(0)
    await page.getByText(/credits, \d+ given back/).waitFor()
    expect(wrong).toEqual([])
  })

  it('that is hostile in every text is shown as text', async () => {
    const id = stage.jobIds[0]
    const { rows } = await stage.pool.query('SELECT result FROM generation_job WHERE id = $1', [id])
    const result = JSON.parse(JSON.stringify(rows[0].result), (name, value) =>
      typeof value === 'string' && !['type', 'version', 'url'].includes(name) ? HOSTILE : value,
    )
    result.content.content.push(
      { type: 'paragraph', content: [{ type: 'link', text: 'run it', url: 'javascript:window.got=3' }] },
      { type: 'image', url: 'https://elsewhere.example/x.png', alt: HOSTILE, image_type: 'section' },
    )
    await stage.pool.query(
      `UPDATE generation_job SET result = $2, warnings = $3, request = request || $4 WHERE id = $1`,
      [
        id,
        result,
        JSON.stringify([{ code: 'page_not_read', message: HOSTILE, severity: 'note' }]),
        { prompt: HOSTILE },
      ],
    )
    await stage.pool.query(
      `UPDATE generation_part SET answer = jsonb_build_object('text', $2::text) WHERE job_id = $1 AND name = 'page-1'`,
      [id, JSON.stringify({ url: 'javascript:window.got=4', title: HOSTILE, text: HOSTILE })],
    )
    const { page, wrong } = await stage.open(`/documents/${id}`)
    const article = page.getByRole('article')
    await article.getByText('run it').waitFor()
    for (const element of ['h2', 'h3', 'p', 'blockquote', 'code'])
      await article.locator(element).filter({ hasText: HOSTILE }).first().waitFor()
    await page.getByText('run it').click()
    expect(await page.evaluate(made)).toEqual([null, 0])
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    await page.goto(`${stage.galley.url}/documents`)
    await page.getByRole('link', { name: HOSTILE.slice(0, 60) }).waitFor()
    expect(await page.evaluate(made)).toEqual([null, 0])
    expect(wrong).toEqual([])
  })
})

describe('audio and images', () => {
  it('a text is priced by its length, read out, and listened to', async () => {
    const { page, wrong } = await stage.open('/documents/new-audio')
    await page.getByLabel('What is read aloud').fill('The sea rises and falls. '.repeat(100))
    await page.getByText('Costs 6 credits.').waitFor()
    await page.getByLabel('Voice', { exact: true }).selectOption('Puck, bright')
    await page.getByLabel('Language').fill('nowhere!')
    await page.getByLabel('Language').and(page.locator('[aria-invalid="true"]')).waitFor()
    await page.getByLabel('Language').fill('en-GB')
    await page.getByRole('button', { name: 'Create audio' }).click()
    await finished(page)
    await expect.poll(() => page.evaluate(`document.querySelector('audio')?.duration`)).toBeGreaterThan(0)
    expect(wrong).toEqual([])
  })

  it('an image is drawn as it was chosen, and seen', async () => {
    const { page, wrong } = await stage.open('/documents/new-image')
    await page.getByLabel('What it shows').fill('A harbour at low water')
    await page.getByLabel('File', { exact: true }).selectOption('JPEG')
    await page.getByLabel('Background').selectOption('Transparent')
    await page.getByRole('button', { name: 'Create the image' }).click()
    await page.getByText('cannot be transparent in a jpeg').first().waitFor()
    await page.getByLabel('Background').selectOption('Opaque')
    await page.getByLabel('Size').selectOption('Square, 1024 × 1024')
    await page.getByRole('button', { name: 'Create the image' }).click()
    await finished(page)
    await expect.poll(() => page.evaluate(`document.querySelector('main img')?.naturalWidth`)).toBe(1024)
    expect(wrong).toEqual([])
  })
})

describe('where nobody can make anything', () => {
  let bare: Stage
  beforeAll(async () => {
    bare = await startStage()
  })
  afterAll(() => bare.stop())

  it('the list and the form say so, and what whoever runs it sets', async () => {
    const { page, wrong } = await bare.open('/documents')
    await page.getByRole('heading', { name: 'This cannot be created here yet' }).waitFor()
    await page.getByRole('link', { name: 'Create a document' }).click()
    await page.getByRole('heading', { name: 'Create a document', level: 1 }).waitFor()
    await page.getByText(/sets GALLEY_AI_URL/).waitFor()
    await page.getByLabel('What it is about').fill('How tides come about')
    expect(await page.getByRole('button', { name: 'Create the document' }).isDisabled()).toBe(true)
    expect(wrong).toEqual([])
  })

  it('an editor sees what was ordered, and orders nothing', async () => {
    const { body } = await bare.galley.call<{ data: { key: string } }>('POST', '/v1/keys', {
      name: 'Ann',
      role: 'editor',
    })
    const { page, wrong } = await bare.open('/documents', { key: body.data.key })
    await page.getByRole('heading', { name: 'Nothing has been requested yet' }).waitFor()
    expect(await page.getByRole('link', { name: 'Create a document' }).count()).toBe(0)
    await page.goto(`${bare.galley.url}/documents/new`)
    await page.getByRole('heading', { name: 'You are not allowed to see this' }).waitFor()
    expect(wrong).toEqual([])
  })
})
