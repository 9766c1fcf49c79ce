import { escapeUTF8 } from 'entities'
import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'

const TIMEOUT_MS = 15_000

/**
 * Whether WordPress accepts the credentials when they come in the body of an XML-RPC call, where no server
 * can strip them. `unknown` where XML-RPC is off or blocked, as it often is.
 */
export async function tryXmlRpc(
  { outbound, site }: WordPressClient,
  siteUrl: string | undefined,
): Promise<'accepted' | 'refused' | 'unknown'> {
  const parameters = [site.username, site.applicationPassword].map(
    (text) => `<param><value><string>${escapeUTF8(text)}</string></value></param>`,
  )
  try {
    const { status, body } = await outbound.request(endpoint(site.restRoot, siteUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: `<?xml version="1.0"?><methodCall><methodName>wp.getUsersBlogs</methodName><params>${parameters.join('')}</params></methodCall>`,
      timeoutMs: TIMEOUT_MS,
      maxBytes: 64 * 1024,
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

/**
 * In the folder that the site's own address names, or else the one that the REST root is in; and always at
 * the REST root's origin: the address is the site's word, and may well lack https.
 */
function endpoint(restRoot: string, siteUrl: string | undefined): URL {
  const known = siteUrl !== undefined && URL.canParse(siteUrl)
  const folder = known
    ? new URL(siteUrl).pathname
    : new URL(restRoot).pathname.replace(/(wp-json\/|index\.php)$/, '')
  return new URL(`${folder.replace(/\/$/, '')}/xmlrpc.php`, restRoot)
}
