import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { together } from '../faults/stage/cohort.ts'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { settled } from '../support/galley.ts'
import { answer, type Fault, pages, restError, tooManyFor } from '../support/proxy/index.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { otherPicture } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

interface Report {
  checked_at: string
  level: string
  findings: { check: string; level: string; changed: boolean }[]
}

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage({ firstPauseMs: 50, firstBackoffMs: 60 }, { picture: false })
})

afterAll(() => stage.close())

async function siteOf(
  id: string,
): Promise<{ trouble: { code: string } | null; pause_s: number | null; trouble_count: number }> {
  const { rows } = await stage.pool.query(
    'SELECT trouble, trouble_count, extract(epoch FROM paused_until - now())::float8 AS pause_s FROM site WHERE id = $1',
    [id],
  )
  return rows[0]
}

/** Until the site is in trouble. */
const inTrouble = (id: string) =>
  expect.poll(async () => (await siteOf(id)).trouble, { interval: 20 }).not.toBeNull()

async function connectAgain(siteId: string): Promise<void> {
  const { login, applicationPassword } = wordpress().users.editor
  const entered = { username: login, application_password: applicationPassword }
  expect((await stage.galley.call('PATCH', `/v1/sites/${siteId}`, entered)).status).toBe(200)
}

describe('a site that fails', () => {
  test('is tried with one delivery at a time, costs none an attempt, and goes on by itself', async () => {
    const { siteId, proxy } = await stage.lane('editor', { concurrency: 4 })
    proxy.rule({}, answer(pages.badGateway))
    const waiting = Array.from({ length: 6 }, () => stage.documents.make(siteId))
    for (const document of waiting) await stage.send(document)
    await expect.poll(async () => (await siteOf(siteId)).trouble_count).toBeGreaterThan(2)
    proxy.clear()
    for (const { id } of waiting)
      expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered', attempts: 0 })
    expect(await siteOf(siteId)).toMatchObject({ trouble: null, trouble_count: 0 })
  })

  // What a header may say, and within which bounds: test/wordpress/faults.wordpress.test.ts.
  test('and asks for a pause is left alone for as long', async () => {
    const { siteId, proxy } = await stage.lane()
    proxy.rule({}, answer(tooManyFor('600')))
    await stage.send(stage.documents.make(siteId))
    await inTrouble(siteId)
    const { pause_s } = await siteOf(siteId)
    expect(pause_s).toBeGreaterThan(100)
    expect(pause_s).toBeLessThanOrEqual(600)
    await stage.pool.query('DELETE FROM delivery WHERE site_id = $1', [siteId])
  })
})

test('a document that breaks the site every time is given up, and stops no other', async () => {
  const { siteId, proxy } = await stage.lane()
  const bad = stage.documents.make(siteId)
  const breaks: Fault = {
    name: 'breaks on one document',
    async apply({ request, forward, reply }) {
      reply(request.body.includes(bad.title) ? pages.phpFatal : await forward())
    },
  }
  proxy.rule({ method: 'POST' }, breaks)
  await stage.send(bad)
  const attempts = async () => {
    const { rows } = await stage.pool.query('SELECT attempts FROM delivery WHERE document_id = $1', [bad.id])
    return rows[0].attempts
  }
  // It is to blame once the site has failed it again and has served others in between.
  const sendAnother = async () => {
    const other = stage.documents.make(siteId)
    await stage.send(other)
    expect(await settled(stage.galley, other.id)).toMatchObject({ status: 'delivered' })
    return attempts()
  }
  await expect.poll(sendAnother, { interval: 1_000 }).toBeGreaterThan(0)
  await stage.pool.query('DELETE FROM delivery WHERE document_id = $1', [bad.id])
})

/** With so many more, each of which is looked for again in every attempt. */
function withPictures(document: FaultDocument, count: number): FaultDocument {
  const { data } = document.body as unknown as { data: { content: { content: object[] } } }
  const { content } = data.content
  const [last, other] = [content.at(-1), otherPicture(document)]
  for (let at = 0; at < count; at++)
    content.push({ ...last, url: other.replace('4999', String(4990 + at)), alt: `${document.alt}, ${at}` })
  return document
}

/** Crashes over each fill that holds this, and over nothing else. */
const crashesOver = (text: string): Fault => ({
  name: 'crashes over one fill',
  async apply({ request, forward, reply }) {
    reply(request.body.includes(text) ? pages.phpFatal : await forward())
  },
})
const fills = { method: 'POST', path: /\/posts\/\d+$/ }

test('a site that crashes over each fill and answers well to all else is in trouble, and the delivery ends by itself', async () => {
  const { siteId, proxy } = await stage.lane()
  proxy.rule(fills, answer(pages.phpFatal))
  const document = withPictures(stage.documents.make(siteId, { picture: true }), 3)
  await stage.send(document)
  await inTrouble(siteId)
  const { rows } = await stage.pool.query('SELECT site_failures FROM delivery WHERE document_id = $1', [
    document.id,
  ])
  expect(rows[0].site_failures).toBeLessThan(8)
  proxy.clear()
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered', attempts: 0 })
  expect(await siteOf(siteId)).toMatchObject({ trouble: null })
})

test('a document over whose fill a site crashes, and which serves others meanwhile, is no trouble of the site', async () => {
  const { siteId, proxy } = await stage.lane('editor', { batch: 'off' })
  await stage.deliver(stage.documents.make(siteId))
  const bad = withPictures(stage.documents.make(siteId, { picture: true }), 3)
  proxy.rule(fills, crashesOver(`${bad.says},`))
  await stage.send(bad)
  const sendAnother = async () => {
    expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({ status: 'delivered' })
    const { rows } = await stage.pool.query('SELECT attempts FROM delivery WHERE document_id = $1', [bad.id])
    // The first failure is the site's as far as anybody knows, and may be told while another is under way.
    await expect.poll(async () => (await siteOf(siteId)).trouble).toBeNull()
    return rows[0].attempts
  }
  await expect.poll(sendAnother, { interval: 1_000 }).toBeGreaterThan(1)
  await stage.pool.query('DELETE FROM delivery WHERE document_id = $1', [bad.id])
})

test('those that were not sent, since the site failed the one before, have not crashed over their markers', async () => {
  const { siteId, proxy } = await stage.lane('editor', { concurrency: 1, batch: 'off' })
  proxy.rule({ method: 'POST', nth: 1 }, answer(pages.phpFatal))
  const documents = Array.from({ length: 4 }, () => stage.documents.make(siteId))
  await together(stage.pool, siteId, async () => {
    for (const document of documents) await stage.send(document)
  })
  for (const { id } of documents)
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
})

describe('credentials that are refused', () => {
  test('hold everything, and let it go on when the site is connected again', async () => {
    const { siteId, proxy } = await stage.lane()
    proxy.rule({}, answer(restError(401, 'incorrect_password', 'The password is wrong.')))
    const documents = Array.from({ length: 3 }, () => stage.documents.make(siteId))
    for (const document of documents) await stage.send(document)
    for (const { id } of documents)
      expect(await settled(stage.galley, id)).toMatchObject({
        status: 'held',
        error: { code: 'password_wrong' },
      })
    // One that comes while the site waits for its owner is held with the same words.
    const late = stage.documents.make(siteId)
    expect(await stage.deliver(late)).toMatchObject({ status: 'held', error: { code: 'password_wrong' } })

    proxy.clear()
    await connectAgain(siteId)
    for (const { id } of [...documents, late])
      await expect.poll(async () => (await settled(stage.galley, id)).status).toBe('delivered')
  })

  test('and those that Galley cannot read any more hold everything in words for who must act', async () => {
    const [{ siteId }, other] = [await stage.lane(), await stage.lane()]
    // Each is bound to its row: that of another site does not open here.
    await stage.pool.query(
      `UPDATE site SET application_password = (SELECT application_password FROM site WHERE id = $2) WHERE id = $1`,
      [siteId, other.siteId],
    )
    const document = stage.documents.make(siteId)
    const { status, error } = await stage.deliver(document)
    expect(status).toBe('held')
    expect(error).toMatchObject({ code: 'secret_unreadable' })
    expect(error?.message).toContain('enter the secret again')

    await connectAgain(siteId)
    await expect.poll(async () => (await settled(stage.galley, document.id)).status).toBe('delivered')
  })

  test('hold what came in the moment they were refused', async () => {
    const { siteId } = await stage.lane()
    const trouble = { code: 'password_wrong', message: 'The password is wrong.' }
    await stage.pool.query(
      `UPDATE site SET trouble = $2, paused_until = now() + interval '1 hour' WHERE id = $1`,
      [siteId, trouble],
    )
    const document = stage.documents.make(siteId)
    await stage.send(document)
    // As if this had been written while the webhook was being stored.
    await stage.pool.query('UPDATE site SET paused_until = NULL WHERE id = $1', [siteId])
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'held', error: trouble })
  })

  test('say nothing of a site that was connected anew meanwhile', async () => {
    const { siteId, proxy } = await stage.lane()
    const news = new EventEmitter()
    const asked = once(news, 'asked')
    const connected = once(news, 'connected')
    const late: Fault = {
      name: 'refused late',
      async apply({ reply }) {
        news.emit('asked')
        await connected
        reply(restError(401, 'incorrect_password', 'The password is wrong.'))
      },
    }
    proxy.rule({ nth: 1 }, late)
    const document = stage.documents.make(siteId)
    await stage.send(document)
    await asked
    await connectAgain(siteId)
    news.emit('connected')
    await expect.poll(async () => (await settled(stage.galley, document.id)).status).toBe('delivered')
    expect(await siteOf(siteId)).toMatchObject({ trouble: null, pause_s: null })
  })

  test('go on too where the delivery that is retried is held for a reason of its own', async () => {
    const { siteId, proxy } = await stage.lane()
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    await rest('administrator', 'POST', `/wp/v2/posts/${post?.id}`, { content: 'Mine.' })
    proxy.rule({}, answer(restError(401, 'incorrect_password', 'The password is wrong.')))
    const newer = stage.documents.make(siteId, { version: 'second', of: first })
    const other = stage.documents.make(siteId)
    for (const document of [newer, other])
      expect(await stage.deliver(document)).toMatchObject({
        status: 'held',
        error: { code: 'password_wrong' },
      })
    proxy.clear()
    const { id } = await settled(stage.galley, first.id)
    await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
    await expect.poll(async () => (await settled(stage.galley, other.id)).status).toBe('delivered')
    expect(await settled(stage.galley, first.id)).toMatchObject({ error: { code: 'post_changed' } })
    // The probe itself, and not the sweep that looks now and then.
    const details = (await settled(stage.galley, other.id)).timeline.map(({ detail }) => detail)
    expect(details).toContain('the site is connected and answers')
  })

  test('go on as well when one delivery is retried after the owner has mended them', async () => {
    const { siteId, proxy } = await stage.lane()
    proxy.rule({}, answer(restError(401, 'incorrect_password', 'The password is wrong.')))
    const documents = Array.from({ length: 2 }, () => stage.documents.make(siteId))
    for (const document of documents) await stage.send(document)
    const [first, second] = await Promise.all(documents.map(({ id }) => settled(stage.galley, id)))
    proxy.clear()
    await stage.galley.call('POST', `/v1/deliveries/${first?.id}/retry`)
    for (const { id } of documents)
      await expect.poll(async () => (await settled(stage.galley, id)).status).toBe('delivered')
    expect(second?.status).toBe('held')
  })
})

test('a site is checked when it fails and when it recovers, so that its report is true', async () => {
  const checking = await startStage({ checkAgainAfterMs: 0 })
  onTestFinished(() => checking.close())
  // An id of no version that RFC 9562 knows: callers number their sites as they like.
  const id = randomUUID().replace(/^(.{14})./, '$10')
  const { siteId, proxy } = await checking.lane('editor', {}, id)
  await checking.galley.call('POST', `/v1/sites/${siteId}/check`)
  const reportNow = async () => {
    const { body } = await checking.galley.call<{ data: { report: Report } }>('GET', `/v1/sites/${siteId}`)
    return body.data.report
  }
  const before = await reportNow()
  expect(before.findings.filter(({ level }) => level === 'problem')).toEqual([])

  proxy.rule({}, answer(restError(403, 'rest_disabled', 'The REST API is off.')))
  await checking.send(checking.documents.make(siteId))
  await expect.poll(async () => (await reportNow()).checked_at).not.toBe(before.checked_at)
  const { level, findings } = await reportNow()
  expect(level).toBe('problem')
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'credentials', level: 'problem', changed: true }),
  )

  proxy.clear()
  await expect.poll(async () => (await reportNow()).level).not.toBe('problem')
})
