import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'
import { answer, restError } from '../support/proxy/index.ts'
import { type MailServer, refusal, startMailServer } from './mail-server.ts'

const PUBLIC_URL = 'https://galley.example.net'

let server: MailServer
let stage: SimulatedStage
let receiverId: string
beforeAll(async () => {
  server = await startMailServer()
  stage = await startSimulated({
    sites: 2,
    concurrency: 4,
    config: {
      publicUrl: PUBLIC_URL,
      mail: {
        host: '127.0.0.1',
        port: server.port,
        tls: 'off',
        credentials: { user: 'galley', password: 'right' },
        from: { name: 'Galley', address: 'galley@example.net' },
      },
    },
  })
})
beforeEach(async () => {
  server.taken.length = 0
  server.onMail = () => undefined
  receiverId = await make({})
})
afterEach(async () => {
  for (const { proxy } of stage.sites) proxy.clear()
  await stage.galley.call('DELETE', `/v1/receivers/${receiverId}`)
})
afterAll(async () => {
  await stage.close()
  await server.close()
})

const everything = ['delivery.delivered', 'delivery.held', 'delivery.failed', 'site.outage', 'site.recovered']

async function make(more: object): Promise<string> {
  const requested = { name: 'Ann', url: 'mailto:ann@example.org', events: everything, ...more }
  const { status, body } = await stage.galley.call<{ id: string }>('POST', '/v1/receivers', requested)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const until = (seen: () => unknown) => expect.poll(seen, { interval: 20 })
const subjects = () => server.taken.map(({ mail }) => mail.subject)
const site = (index = 0) => stage.sites[index] as SimulatedStage['sites'][number]
const gathered = async () =>
  (await stage.pool.query('SELECT event FROM digest_item ORDER BY id')).rows.map(({ event }) => event)
/** As if the time for which deliveries are gathered, and the one between two mails, were over. */
async function timePasses(): Promise<void> {
  await stage.pool.query(`UPDATE digest_item SET due_at = now() - interval '1 second'`)
  await stage.pool.query(`UPDATE notification SET created_at = created_at - interval '2 minutes'`)
}
const told = async () =>
  (await stage.pool.query(`SELECT id, event, status, attempts FROM notification ORDER BY id`)).rows

test('what becomes of deliveries is gathered, and is one mail, in text and HTML, with a link to each of them', async () => {
  const titles = ['How tides come about', 'The <b>second</b> tide & more', 'Third']
  const documents = await Promise.all(titles.map((title) => stage.send(site().id, { title })))
  const ids = new Map<string, string>()
  for (const [index, document] of documents.entries())
    ids.set(titles[index] as string, (await settled(stage.galley, document)).id)
  await until(gathered).toEqual(['delivery.delivered', 'delivery.delivered', 'delivery.delivered'])
  expect(server.taken).toEqual([])
  await timePasses()
  await until(subjects).toEqual(['3 deliveries delivered'])
  const [{ from, to, mail }] = server.taken as [MailServer['taken'][number]]
  expect({ from, to }).toEqual({ from: 'galley@example.net', to: ['ann@example.org'] })
  expect(mail.from).toEqual({ name: 'Galley', address: 'galley@example.net' })
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  for (const [title, id] of ids) {
    expect(mail.text).toContain(`Delivered: ${title}`)
    expect(mail.text).toContain(`${PUBLIC_URL}/deliveries/${id}\n`)
    expect(mail.html).toContain(`href="${PUBLIC_URL}/deliveries/${id}"`)
  }
  expect(mail.html).toContain('The &lt;b&gt;second&lt;/b&gt; tide &amp; more')
  expect(mail.html).not.toContain('<b>second')
  expect(await gathered()).toEqual([])
  expect(server.users.length).toBeGreaterThan(0)
})

test('a mail is in the language of its receiver, from the next one on', async () => {
  const { galley } = stage
  const id = await make({ language: 'de' })
  await galley.call('POST', `/v1/receivers/${id}/test`)
  await until(subjects).toEqual(['Beispiel: Zugestellt: How tides come about (Harbour News)'])
  await galley.call('PATCH', `/v1/receivers/${id}`, { language: 'en' })
  await galley.call('POST', `/v1/receivers/${id}/test`)
  await until(() => subjects().at(1)).toBe('Sample: Delivered: How tides come about (Harbour News)')
  await galley.call('DELETE', `/v1/receivers/${id}`)
})

test('a mail that tells of several sites is seen by a key that sees all of them, and by no other', async () => {
  const ids = [site(0).id, site(1).id]
  const keyFor = async (site_ids: string[]) => {
    const requested = { name: 'Limited', role: 'manager', site_ids }
    return (await stage.galley.call<{ data: { key: string } }>('POST', '/v1/keys', requested)).body.data.key
  }
  const [both, one] = [await keyFor(ids), await keyFor(ids.slice(0, 1))]
  for (const document of await Promise.all(ids.map((id) => stage.send(id))))
    await settled(stage.galley, document)
  await until(async () => (await gathered()).length).toBe(2)
  await timePasses()
  await until(subjects).toEqual(['2 deliveries delivered'])
  const seenBy = async (key: string) => {
    const url = `${stage.galley.url}/v1/notifications?receiver_id=${receiverId}`
    const { data } = (await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()) as {
      data: { event: string }[]
    }
    return data.map(({ event }) => event)
  }
  expect(await seenBy(both)).toEqual(['digest'])
  expect(await seenBy(one)).toEqual([])
})

test('of a delivery that is held and delivered meanwhile, only the last is told', async () => {
  const nowhere = '0d9f2d57-5f0a-4d3b-9a45-1c2d3e4f5a6b'
  const document = await stage.send(nowhere, { title: 'Late' })
  const { id } = await settled(stage.galley, document)
  await until(gathered).toEqual(['delivery.held'])
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { site_id: site().id })
  await until(gathered).toEqual(['delivery.held', 'delivery.delivered'])
  await timePasses()
  await until(subjects).toEqual([expect.stringContaining('Delivered: Late')])
})

test('an outage is one mail at once, whatever waits for the site, and its recovery another', async () => {
  site().proxy.rule({}, answer(restError(401, 'incorrect_password', 'It is wrong.')))
  const documents = await Promise.all(Array.from({ length: 5 }, () => stage.send(site().id)))
  for (const document of documents) await settled(stage.galley, document)
  await until(() => server.taken.length).toBe(1)
  const [{ mail }] = server.taken as [MailServer['taken'][number]]
  expect(mail.subject).toMatch(/^In trouble: /)
  expect(mail.text).toContain(`${PUBLIC_URL}/sites/${site().id}\n`)
  expect(await gathered()).toEqual([])
  site().proxy.clear()
  const { id } = await settled(stage.galley, documents[0] as string)
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
  // Within a minute of the last mail it waits, and takes along what was gathered.
  await until(async () => (await gathered()).length).toBe(6)
  expect(server.taken).toHaveLength(1)
  await timePasses()
  await until(() => server.taken.length).toBe(2)
  expect(subjects()[1]).toBe('1 site working again, 5 deliveries delivered')
})

test('a title that would be another header, or a name that turns a text around, is a part of the subject', async () => {
  await stage.pool.query(`UPDATE site SET name = $1 WHERE id = $2`, [
    'Harbour\r\nBcc: all@example.org\u202egnp.exe',
    site().id,
  ])
  const document = await stage.send(site().id, {
    title: 'A title\r\nBcc: everybody@example.org\r\n\r\nand a body',
  })
  await settled(stage.galley, document)
  await until(gathered).toEqual(['delivery.delivered'])
  await timePasses()
  await until(() => server.taken.length).toBe(1)
  const [{ mail, to }] = server.taken as [MailServer['taken'][number]]
  expect(to).toEqual(['ann@example.org'])
  expect(mail.bcc ?? []).toEqual([])
  expect(mail.headers.map(({ key }) => key)).not.toContain('bcc')
  expect(mail.subject).toContain('A title Bcc: everybody@example.org')
  expect(mail.subject).not.toContain('\u202e')
})

test('a mail that is not taken is sent again after 5 minutes, by the same Message-ID, and each attempt can be seen', async () => {
  server.onMail = () => {
    throw refusal(451, 'come back later')
  }
  await stage.galley.call('POST', `/v1/receivers/${receiverId}/test`)
  await until(async () => (await told()).at(-1)).toMatchObject({ status: 'waiting', attempts: 1 })
  const { id } = (await told()).at(-1) as { id: string }
  const shown = async () =>
    (
      await stage.galley.call<{ data: { next_attempt_at: string; tries: { error: object | null }[] } }>(
        'GET',
        `/v1/notifications/${id}`,
      )
    ).body.data
  const { tries } = await shown()
  expect(tries).toMatchObject([
    {
      http_status: null,
      error: { code: 'mail_deferred', message: expect.stringContaining('come back later') },
    },
  ])
  server.onMail = () => {
    throw refusal(550, 'no such mailbox')
  }
  await stage.pool.query(`UPDATE notification SET due_at = now() - interval '1 second' WHERE id = $1`, [id])
  await until(async () => (await shown()).tries.length).toBe(2)
  await until(async () => (await shown()).tries[1]?.error).toMatchObject({ code: 'mail_refused' })
  server.onMail = () => undefined
  expect((await stage.galley.call('POST', `/v1/notifications/${id}/repeat`)).status).toBe(202)
  await until(async () => (await told()).at(-1)).toMatchObject({ id, status: 'acknowledged' })
  expect(new Set(server.taken.map(({ mail }) => mail.messageId))).toEqual(new Set([`<${id}@example.net>`]))
  expect(server.taken).toHaveLength(3)
})

test('the button sends a sample that says so, and fills nobody’s mailbox', async () => {
  for (let n = 0; n < 3; n += 1)
    expect((await stage.galley.call('POST', `/v1/receivers/${receiverId}/test`)).status).toBe(202)
  expect(await stage.galley.call('POST', `/v1/receivers/${receiverId}/test`)).toMatchObject({
    status: 429,
    body: { error: { code: 'TOO_MANY_SAMPLES' } },
  })
  await until(() => server.taken.length).toBe(3)
  expect(subjects()[0]).toMatch(/^Sample: Delivered: /)
  expect(server.taken[0]?.mail.text).toContain('This is a sample')
})

test('of more than a mail shows it says how many there are', async () => {
  await stage.pool.query(
    `INSERT INTO digest_item (receiver_id, event, subject_id, data, due_at)
     SELECT $1, 'delivery.failed', gen_random_uuid(), jsonb_build_object('id', n::text, 'title', 'Number ' || n), now()
     FROM generate_series(1, 120) AS n`,
    [receiverId],
  )
  await until(subjects).toEqual(['120 deliveries failed'])
  const text = server.taken[0]?.mail.text ?? ''
  expect(text.match(/Failed: Number \d+/g)).toHaveLength(50)
  expect(text).toContain('And 70 more')
})

describe('a receiver of mail', () => {
  const ask = (requested: object) =>
    stage.galley.call('POST', '/v1/receivers', { name: 'Ann', url: 'mailto:ann@example.org', ...requested })

  test('has no secret, gathers for 15 minutes, and is not told of what went well unless it asks', async () => {
    const { body } = await ask({})
    expect(body).toMatchObject({ data: { kind: 'email', secret: null, digest_minutes: 15 } })
    expect((body as unknown as { data: { events: string[] } }).data.events).not.toContain(
      'delivery.delivered',
    )
    const { id } = body as unknown as { id: string }
    expect(await stage.galley.call('POST', `/v1/receivers/${id}/rotate`)).toMatchObject({
      status: 409,
      body: { error: { code: 'OTHER_KIND' } },
    })
    for (const requested of [{ url: 'https://example.org/' }])
      expect(await stage.galley.call('PATCH', `/v1/receivers/${id}`, requested)).toMatchObject({
        status: 409,
      })
    expect(
      await stage.galley.call('PATCH', `/v1/receivers/${id}`, {
        url: 'mailto:bob@example.org',
        digest_minutes: 60,
      }),
    ).toMatchObject({ status: 200, body: { data: { url: 'mailto:bob@example.org', digest_minutes: 60 } } })
    await stage.galley.call('DELETE', `/v1/receivers/${id}`)
  })

  test.each([
    ['of several', { url: 'mailto:a@example.org,b@example.org' }],
    ['with a subject', { url: 'mailto:a@example.org?subject=x' }],
    ['with a line break', { url: 'mailto:a@example.org\r\nBcc: b@example.org' }],
    ['with a name', { url: 'mailto:Ann <a@example.org>' }],
    ['of another kind', { kind: 'webhook' }],
    ['gathered for no time', { digest_minutes: 0 }],
    ['of a webhook that is gathered', { url: 'https://example.org/', digest_minutes: 5 }],
  ])('is refused with an address %s', async (_, requested) => {
    expect(await ask(requested)).toMatchObject({ status: 422 })
  })
})
