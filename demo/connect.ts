import type { GalleyProcess } from './galley.ts'
import type { DemoSite } from './site.ts'

export interface Connection {
  /** UUID of the site in Galley. */
  siteId: string
  /** Takes the site, and its password with it, out of Galley again. */
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
