import { GalleyError } from '../src/errors.ts'
import type { DemoSite } from './site.ts'

/**
 * Asks WordPress itself, past Galley, for the post that was delivered.
 * @throws GalleyError `demo_post_missing` where it is not there with the status that was asked for.
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
