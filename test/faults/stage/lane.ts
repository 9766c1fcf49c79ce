import type { Pool } from 'pg'
import { type FaultProxy, startFaultProxy } from '../../support/proxy/index.ts'
import { type Role, wordpress } from '../../support/wordpress/index.ts'

/** A connected site that speaks to the real WordPress through a proxy of its own. */
export interface Lane {
  siteId: string
  proxy: FaultProxy
}

type Call = <Body>(method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>

/** Connects the real WordPress through a fault proxy, which from then on changes nothing by itself. */
export async function openLane(
  { call, pool }: { call: Call; pool: Pool },
  { role = 'editor', settings = {}, id }: { role?: Role; settings?: object; id?: string } = {},
): Promise<Lane> {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  const proxy = await startFaultProxy(url, { rewriteUrls: true })
  const { status, body } = await call<{ id: string }>('POST', '/v1/sites?check=false', {
    id,
    // A file: the front page costs WordPress as much as three requests of a delivery.
    url: `${proxy.url}/readme.html`,
    username: login,
    application_password: applicationPassword,
    settings,
  })
  if (status !== 201) throw new Error(`the site was not connected: ${JSON.stringify(body)}`)
  proxy.keepUrls()
  proxy.requests.length = 0
  await pool.query('UPDATE site SET url = $2 WHERE id = $1', [body.id, url])
  return { siteId: body.id, proxy }
}
