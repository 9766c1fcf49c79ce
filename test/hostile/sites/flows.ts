import { inputOf, Visitor } from '../../connect/visitor.ts'
import { completed } from '../../support/webhooks.ts'
import { type Answered, call } from '../stage/api.ts'
import { connectSite } from '../stage/party.ts'
import type { World } from '../stage/world.ts'
import type { HostedSite } from './server.ts'

/** One case: a site of its own, and what was asked of Galley about it so far. */
interface Stage {
  world: World
  site: HostedSite
  /** From here on the site does as it likes. */
  arm(): void
  /** Every answer of Galley is looked at. */
  look(answer: Answered): void
}

/** What was learned on the way. */
export interface Walked {
  /** Where the site is connected. */
  siteId?: string
  /** Where a document was sent. */
  documentId?: string
}

type Flow = (stage: Stage) => Promise<Walked>

/** Everything in which Galley asks a site something. */
export const flows = {
  connecting: async ({ world, site, arm, look }) => {
    arm()
    const { url, wordpress } = site
    const body = { url, username: wordpress.username, application_password: wordpress.password }
    const answer = await ask(world, 'POST', '/v1/sites?check=false', body)
    look(answer)
    return siteOf(answer)
  },

  'a connect link': async ({ world, site, arm, look }) => {
    const { url, wordpress } = site
    const made = await ask(world, 'POST', '/v1/connect-links', { url })
    const link = String((made.json.data as { link?: string } | undefined)?.link)
    arm()
    look(await ask(world, 'POST', '/v1/connect-links', { url }))
    const visitor = new Visitor()
    const open = async (address: string, form?: Record<string, string>) => {
      const page = await visitor.request(address, form)
      const head = [...page.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      // The address is what leads from page to page; what it must not have is looked for by itself.
      look({
        status: page.status,
        head: head.replaceAll(link, ''),
        body: page.html.replaceAll(link, ''),
        json: {},
      })
      return page
    }
    const page = await open(link)
    const state = page.status === 200 ? stateOf(page) : 'unknown'
    const { username, password } = wordpress
    const approved = new URLSearchParams({ state, user_login: username, password })
    const back = await open(`${link}/approved?${approved}`)
    if (back.status !== 303) look({ ...none, body: `the way back from an approval answered ${back.status}` })
    await open(link, { state, user_login: username, password })
    await open(`${link}/connected?state=${state}`)
    const { rows } = await world.service.pool.query<{ id: string }>(
      'SELECT id FROM site WHERE username = $1',
      [username],
    )
    return rows[0] === undefined ? {} : { siteId: rows[0].id }
  },

  'the doctor': async ({ world, site, arm, look }) => {
    const siteId = await connectSite(world.service, world.secrets, world.attackers[1].key, site)
    arm()
    look(await ask(world, 'POST', `/v1/sites/${siteId}/check`))
    return { siteId }
  },

  settings: async ({ world, site, arm, look }) => {
    const siteId = await connectSite(world.service, world.secrets, world.attackers[1].key, site)
    arm()
    const settings = {
      post_type: 'pages',
      author: 'An editor',
      default_categories: ['News'],
      fallback_category: 'News',
    }
    look(await ask(world, 'PATCH', `/v1/sites/${siteId}`, settings))
    look(
      await ask(world, 'PATCH', `/v1/sites/${siteId}`, {
        username: site.wordpress.username,
        application_password: site.wordpress.password,
        url: site.url,
      }),
    )
    return { siteId }
  },

  'a preview': async ({ world, site, arm, look }) => {
    const siteId = await connectSite(world.service, world.secrets, world.attackers[1].key, site)
    arm()
    look(await ask(world, 'POST', `/v1/sites/${siteId}/preview`, documentFor(world, siteId)))
    return { siteId }
  },

  'a delivery': async ({ world, site, arm, look }) => {
    const siteId = await connectSite(world.service, world.secrets, world.attackers[1].key, site)
    arm()
    const document = documentFor(world, siteId)
    look(await ask(world, 'POST', `/v1/webhooks/${world.attackers[1].token}`, document))
    return { siteId, documentId: document.id }
  },
} satisfies Record<string, Flow>

export type FlowName = keyof typeof flows

const none: Answered = { status: null, head: '', body: '', json: {} }

const stateOf = (page: Awaited<ReturnType<Visitor['request']>>): string =>
  page.html.includes('name="state"')
    ? inputOf(page, 'state')
    : (/state%3D([0-9a-f]+)/.exec(page.html)?.[1] ?? 'unknown')

export const ask = (world: World, method: string, path: string, body?: unknown): Promise<Answered> =>
  call(world.service.port, world.attackers[1].key, method, path, body)

const siteOf = ({ json }: Answered): Walked => {
  const id = (json.data as { id?: string } | undefined)?.id
  return id === undefined ? {} : { siteId: id }
}

/** A document that makes Galley ask for all it ever asks. */
export const documentFor = ({ files }: World, siteId: string) =>
  completed({
    siteId,
    title: 'A document for a hostile site',
    slug: 'a-document',
    post_status: 'publish',
    categories: ['News > Local'],
    tags: ['tides'],
    blocks: [
      { type: 'heading', level: 2, text: 'A heading' },
      { type: 'paragraph', content: 'A paragraph, long enough to be known again among others of its kind.' },
      { type: 'image', url: `${files.url}/good.png`, alt: 'A picture' },
    ],
  })
