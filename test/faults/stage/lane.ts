import type { Pool } from 'pg'
import {
  type Fault,
  type FaultProxy,
  type Reply,
  rewriteOrigin,
  startFaultProxy,
} from '../../support/proxy/index.ts'
import { type Role, wordpress } from '../../support/wordpress/index.ts'

/** A connected site that speaks to the real WordPress through a proxy of its own. */
export interface Lane {
  siteId: string
  proxy: FaultProxy
}

type Call = <Body>(method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>

/** What WordPress said to whoever connected it first, by user and address: to ask each time took a third of a lane. */
const saidBefore = new Map<string, Reply>()

const asSaidBefore = (proxy: FaultProxy, url: string): Fault => ({
  name: 'as said before',
  async apply({ request, forward, reply }) {
    const asked = `${request.headers.authorization} ${request.url.replace(/galley_request=[^&]*/, '')}`
    const before = saidBefore.get(asked)
    if (before) return reply(rewriteOrigin(before, url, proxy.url))
    const answer = await forward()
    // Without its date, which is that of each answer.
    const { date: _, ...headers } = answer.headers
    if (answer.status === 200) saidBefore.set(asked, rewriteOrigin({ ...answer, headers }, proxy.url, url))
    reply(answer)
  },
})

/** Connects the real WordPress through a fault proxy, which from then on changes nothing by itself. */
export async function openLane(
  { call, pool }: { call: Call; pool: Pool },
  { role = 'editor', settings = {}, id }: { role?: Role; settings?: object; id?: string } = {},
): Promise<Lane> {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  const proxy = await startFaultProxy(url, { rewriteUrls: true })
  proxy.rule({}, asSaidBefore(proxy, url))
  const { status, body } = await call<{ id: string }>('POST', '/v1/sites?check=false', {
    id,
    // A file: the front page costs WordPress as much as three requests of a delivery.
    url: `${proxy.url}/readme.html`,
    username: login,
    application_password: applicationPassword,
    settings,
  })
  if (status !== 201) throw new Error(`the site was not connected: ${JSON.stringify(body)}`)
  proxy.clear()
  proxy.keepUrls()
  proxy.requests.length = 0
  // As though it had been checked: a check, which else follows the first outage, costs as much as ten deliveries.
  await pool.query('UPDATE site SET url = $2, report_at = now() WHERE id = $1', [body.id, url])
  return { siteId: body.id, proxy }
}
