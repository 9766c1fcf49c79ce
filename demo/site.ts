import type { Options } from './options.ts'
import type { Log } from './output.ts'
import { askPassword } from './password.ts'
import { startWordPress } from './wordpress/index.ts'

/** The WordPress that the demo delivers to. */
export interface DemoSite {
  url: string
  user: string
  applicationPassword: string
  /** Of the log-in page, where the demo made the user. */
  password?: string
  /** As a person would call it. */
  name: string
  /** Nothing appears in public on somebody's own site. */
  postStatus: 'draft' | 'publish'
  stop(): Promise<void>
}

/** One's own WordPress, or a new one that ends with the demo. */
export async function openSite(own: Options['own'], log: Log): Promise<DemoSite> {
  return own ? ownSite(own) : newSite(log)
}

async function ownSite({ url, user }: NonNullable<Options['own']>): Promise<DemoSite> {
  const applicationPassword = await askPassword(user, url)
  return {
    url,
    user,
    applicationPassword,
    name: new URL(url).host,
    postStatus: 'draft',
    stop: async () => {},
  }
}

async function newSite(log: Log): Promise<DemoSite> {
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
