import type { Pool } from 'pg'
import { type FaultProxy, startFaultProxy } from '../../support/proxy/index.ts'
import { type Role, wordpress } from '../../support/wordpress/index.ts'

/** A connected site that speaks to the real WordPress through a proxy of its own. */
export interface Lane {
  siteId: string
  proxy: FaultProxy
}

type Call = <Body>(method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>

/** Connects the real WordPress, then puts a fault proxy before it. */
export async function openLane(
  { call, pool }: { call: Call; pool: Pool },
  { role = 'editor', settings = {}, id }: { role?: Role; settings?: object; id?: string } = {},
): Promise<Lane> {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  const { status, body } = await call<{ id: string }>('POST', '/v1/sites?check=false', {
    id,
    url,
    username: login,
    application_password: applicationPassword,
    settings,
  })
  if (status !== 201) throw new Error(`the site was not connected: ${JSON.stringify(body)}`)
  const proxy = await startFaultProxy(url)
  await pool.query('UPDATE site SET rest_root = replace(rest_root, $2, $3) WHERE id = $1', [
    body.id,
    url,
    proxy.url,
  ])
  return { siteId: body.id, proxy }
}
