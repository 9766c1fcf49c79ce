import { escapeUTF8 } from 'entities'
import { GalleyError } from '../../errors.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { SiteConnection } from '../types.ts'

const TIMEOUT_MS = 15_000

/**
 * Whether WordPress accepts the credentials when they come in the body of an XML-RPC call, where no server
 * can strip them. `unknown` where XML-RPC is off or blocked, as it often is.
 */
export async function tryXmlRpc(
  outbound: Outbound,
  siteUrl: string,
  { username, applicationPassword }: SiteConnection,
): Promise<'accepted' | 'refused' | 'unknown'> {
  const parameters = [username, applicationPassword].map(
    (text) => `<param><value><string>${escapeUTF8(text)}</string></value></param>`,
  )
  try {
    const { status, body } = await outbound.request(`${siteUrl.replace(/\/$/, '')}/xmlrpc.php`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: `<?xml version="1.0"?><methodCall><methodName>wp.getUsersBlogs</methodName><params>${parameters.join('')}</params></methodCall>`,
      timeoutMs: TIMEOUT_MS,
    })
    const text = body.toString('utf8')
    if (status !== 200 || !text.includes('<methodResponse>')) return 'unknown'
    // 403 is the fault for a wrong name or password, 405 the one for XML-RPC being switched off.
    if (/<int>403<\/int>/.test(text)) return 'refused'
    return text.includes('<fault>') ? 'unknown' : 'accepted'
  } catch (error) {
    if (error instanceof GalleyError) return 'unknown'
    throw error
  }
}
