import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { inputOf, linkOf, Visitor, wordsOf } from './visitor.ts'
import { logIn, press } from './wordpress-login.ts'

// The way of a site's owner, page by page and without a browser's scripts: WordPress has a page for that too.

interface Link {
  id: string
  link: string
  status: string
  site_id: string | null
  rejected_at: string | null
  problem: { code: string; message: string } | null
}

const { url: site, users } = wordpress()
const owner = users.author

let galley: TestGalley
beforeAll(async () => {
  galley = await startTestGalley()
})
afterAll(() => galley.stop())

async function makeLink(requested: object = {}): Promise<Link> {
  const { status, body } = await galley.call<{ data: Link }>('POST', '/v1/connect-links', {
    url: site,
    ...requested,
  })
  expect(status).toBe(201)
  return body.data
}

const linkNow = async ({ id }: Link) =>
  (await galley.call<{ data: Link }>('GET', `/v1/connect-links/${id}`)).body.data

const sites = async () =>
  (await galley.call<{ data: { id: string }[] }>('GET', '/v1/sites')).body.data.map(({ id }) => id)

const passwords = () =>
  rest<{ uuid: string; name: string }[]>('author', 'GET', '/wp/v2/users/me/application-passwords')

let visitor: Visitor
beforeAll(async () => {
  visitor = new Visitor()
  await logIn(visitor, site, owner)
})

/** As far as WordPress's question, as the owner, who is logged in. */
async function atWordPress(link: Link) {
  return visitor.open(linkOf(await visitor.open(link.link), 'button'))
}

describe('the owner approves', () => {
  it('connects the site as the link asked, once, tells what the doctor found, and can take the password back', async () => {
    const id = randomUUID()
    const before = (await passwords()).length
    const link = await makeLink({ id, name: 'The blog', labels: ['clients'], asked_by: 'Acme & Sons' })

    const question = await visitor.open(link.link)
    expect(wordsOf(question)).toMatch(/Acme &amp; Sons asks to connect/)
    const back = await press(visitor, await visitor.open(linkOf(question, 'button')), 'approve')
    const sentOn = await visitor.request(back)
    expect(sentOn).toMatchObject({ status: 303, location: expect.not.stringContaining('password') })
    expect((await passwords()).map(({ name }) => name)).toContain('Galley for Acme & Sons')

    const seen = await reported(visitor, sentOn.location as string)
    expect(seen).toContain('is connected')
    expect(seen).toMatch(/may not create categories/)

    const { body } = await galley.call<{ data: object }>('GET', `/v1/sites/${id}`)
    expect(body.data).toMatchObject({ name: 'The blog', labels: ['clients'], username: owner.login })
    expect(await linkNow(link)).toMatchObject({ status: 'used', site_id: id, problem: null })
    const audit = await galley.call<{ data: object[] }>('GET', `/v1/audit?subject_id=${id}`)
    expect(audit.body.data).toMatchObject([
      {
        action: 'site.connect',
        key_id: null,
        actor: 'the owner of the site, through a connect link',
        details: { connect_link: link.id, username: owner.login, again: false },
      },
    ])

    const again = await visitor.open(back)
    expect(again.status).toBe(410)
    expect(wordsOf(again)).toContain('This link has already been used')
    expect((await new Visitor().open(link.link)).status).toBe(410)
    expect(await sites()).toEqual([id])
    // The second answer brought the password that the site uses.
    expect(await passwords()).toHaveLength(before + 1)

    expect(await galley.call('DELETE', `/v1/sites/${id}?revoke=true`)).toMatchObject({ status: 200 })
    expect(await passwords()).toHaveLength(before)
  })

  it('leaves no password behind where the link was withdrawn meanwhile', async () => {
    const before = await passwords()
    const link = await makeLink()
    const question = await atWordPress(link)
    await galley.call('DELETE', `/v1/connect-links/${link.id}`)
    const page = await visitor.open(await press(visitor, question, 'approve'))
    expect(page.status).toBe(410)
    expect(wordsOf(page)).toContain('This link was withdrawn')
    expect(await passwords()).toEqual(before)
    expect(await sites()).toEqual([])
  })
})

describe('the owner says no', () => {
  it('says so, leaves nothing behind, and lets the owner change the mind', async () => {
    const before = await passwords()
    const link = await makeLink()
    const page = await visitor.open(await press(visitor, await atWordPress(link), 'reject'))
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('is not connected')
    expect(await sites()).toEqual([])
    expect(await passwords()).toEqual(before)
    expect(await linkNow(link)).toMatchObject({ status: 'open', rejected_at: expect.stringMatching(/^20/) })
    expect((await visitor.open(link.link)).status).toBe(200)
  })
})

describe('an answer that does not belong here', () => {
  const credentials = `site_url=x&user_login=${owner.login}&password=${owner.applicationPassword}`

  it('is refused where it belongs to another link', async () => {
    const [one, other] = [await makeLink(), await makeLink()]
    const visitor = new Visitor()
    const state = inputOf(await visitor.open(one.link), 'state')
    await visitor.open(other.link)
    const page = await visitor.open(`${other.link}/approved?state=${state}&${credentials}`)
    expect(page).toMatchObject({ status: 403, url: `${other.link}/refused` })
    expect(wordsOf(page)).toContain('This answer was not accepted')
    expect(await sites()).toEqual([])
  })

  it('is refused in another browser than the one that opened the link', async () => {
    const link = await makeLink()
    const state = inputOf(await new Visitor().open(link.link), 'state')
    const stranger = new Visitor()
    await stranger.open(link.link)
    const page = await stranger.open(`${link.link}/approved?state=${state}&${credentials}`)
    expect(page.status).toBe(403)
    expect((await new Visitor().open(`${link.link}/rejected?state=${state}`)).status).toBe(403)
    expect(await linkNow(link)).toMatchObject({ status: 'open', rejected_at: null })
  })

  it('is refused without a state at all', async () => {
    const link = await makeLink()
    const visitor = new Visitor()
    await visitor.open(link.link)
    expect((await visitor.open(`${link.link}/approved?${credentials}`)).status).toBe(403)
  })
})

describe('the form', () => {
  it('connects with a username and an application password', async () => {
    const link = await makeLink()
    const visitor = new Visitor()
    const state = inputOf(await visitor.open(link.link), 'state')
    const form = { state, user_login: owner.login, password: owner.applicationPassword }
    expect(wordsOf(await visitor.open(link.link, form))).toContain('is connected')
    const { site_id: id } = await linkNow(link)
    await galley.call('DELETE', `/v1/sites/${id}`)
  })

  it('says why a wrong password does not do, there and to whoever made the link, and can be sent again', async () => {
    const link = await makeLink()
    const visitor = new Visitor()
    const state = inputOf(await visitor.open(link.link), 'state')
    const form = { state, user_login: owner.login, password: 'abcd EFGH 1234 abcd EFGH 1234' }
    const page = await visitor.open(link.link, form)
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toMatch(/It is not connected yet\. .*application password/)
    expect(await linkNow(link)).toMatchObject({ status: 'open', problem: { code: 'not_logged_in' } })
    expect(await sites()).toEqual([])
  })

  it('is refused from another page, which cannot know the state', async () => {
    const link = await makeLink()
    const visitor = new Visitor()
    await visitor.open(link.link)
    const form = { state: 'guessed', user_login: owner.login, password: owner.applicationPassword }
    expect((await visitor.open(link.link, form)).status).toBe(403)
    expect(await sites()).toEqual([])
  })
})

/** The words of the connected page once the doctor has been. Opened as often as the page says: a client may open 60 a minute. */
async function reported(visitor: Visitor, address: string): Promise<string> {
  for (let tries = 0; tries < 20; tries += 1) {
    const page = await visitor.open(address)
    const refresh = page.headers.get('refresh')
    if (refresh === null) return wordsOf(page)
    await new Promise((resolve) => setTimeout(resolve, Number.parseInt(refresh, 10) * 1000))
  }
  throw new Error('the doctor never came')
}
