// The WordPress that the demo delivers to.
import { createInterface } from 'node:readline/promises'
import { GalleyError } from '../src/errors.ts'
import type { GalleyProcess } from './galley.ts'
import type { Options } from './options.ts'
import type { Log } from './output.ts'
import { startWordPress } from './wordpress/index.ts'

export interface DemoSite {
  url: string
  user: string
  applicationPassword: string
  /** Of the log-in page, where the demo made the user. */
  password?: string
  /** As a person would call it. */
  name: string
  /** Draft on somebody's own site, where nothing should appear in public. */
  postStatus: 'draft' | 'publish'
  stop(): Promise<void>
}

/** The user's own WordPress, or a new one that ends with the demo. */
export async function openSite(own: Options['own'], log: Log): Promise<DemoSite> {
  if (own)
    return {
      ...own,
      applicationPassword: await askPassword(own.user, own.url),
      name: new URL(own.url).host,
      postStatus: 'draft',
      stop: async () => {},
    }
  const { url, version, users, stop } = await startWordPress({ log })
  const { login, password, applicationPassword } = users.editor
  return {
    url,
    user: login,
    password,
    applicationPassword,
    name: `WordPress ${version}`,
    postStatus: 'publish',
    stop,
  }
}

/**
 * The application password of `user`: from GALLEY_DEMO_PASSWORD, or typed on the terminal without an echo.
 *
 * @throws GalleyError `demo_password_missing` where there is neither
 */
async function askPassword(user: string, site: string): Promise<string> {
  const given = process.env.GALLEY_DEMO_PASSWORD
  if (given) return given
  if (!process.stdin.isTTY) {
    throw new GalleyError({
      code: 'demo_password_missing',
      message: `There is no terminal to ask for the application password of ${user} on; set GALLEY_DEMO_PASSWORD.`,
    })
  }
  process.stdout.write(
    `Application password of ${user} (${new URL('/wp-admin/profile.php', site)}, "Application Passwords"): `,
  )
  // without an output, the terminal does not show what is typed
  const terminal = createInterface({ input: process.stdin, terminal: true })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stdout.write('\n')
  }
}

interface Connection {
  /** UUID of the site in Galley. */
  siteId: string
  /** Removes the site, and its password with it, from Galley. */
  stop(): Promise<void>
}

/** Connects the site to Galley. */
export async function connectSite({ call }: GalleyProcess, site: DemoSite): Promise<Connection> {
  const { id: siteId } = await call<{ id: string }>('POST', '/v1/sites', {
    url: site.url,
    username: site.user,
    application_password: site.applicationPassword,
  })
  return {
    siteId,
    async stop() {
      await call('DELETE', `/v1/sites/${siteId}`)
    },
  }
}

/**
 * Asks WordPress itself, past Galley, for the post that was delivered.
 *
 * @throws GalleyError `demo_post_missing` where WordPress has no such post with the requested status
 */
export async function verifyPost(site: DemoSite, id: number): Promise<void> {
  const credentials = Buffer.from(`${site.user}:${site.applicationPassword}`).toString('base64')
  const address = `${site.url.replace(/\/$/, '')}/?rest_route=/wp/v2/posts/${id}&context=edit`
  const response = await fetch(address, { headers: { authorization: `Basic ${credentials}` } })
  const found: { id?: number; status?: string } = await response.json()
  if (response.ok && found.id === id && found.status === site.postStatus) return
  throw new GalleyError({
    code: 'demo_post_missing',
    message: `${site.name} answers ${response.status} for post ${id}, which Galley says it delivered as ${site.postStatus}.`,
    details: found,
  })
}
