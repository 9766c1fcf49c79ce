import { GalleyError } from '../src/errors.ts'
import type { Delivery } from './deliver.ts'
import type { DemoSite } from './site.ts'

interface Post {
  id: number
  status: string
  title: { raw: string }
}

/**
 * Asks WordPress itself, past Galley, for the post that was delivered.
 * @throws GalleyError `demo_post_missing` where it is not there as asked for.
 */
export async function verifyPost(site: DemoSite, { post }: Delivery): Promise<Post> {
  const credentials = Buffer.from(`${site.user}:${site.applicationPassword}`).toString('base64')
  const address = `${site.url.replace(/\/$/, '')}/?rest_route=/wp/v2/posts/${post?.id}&context=edit`
  const response = await fetch(address, { headers: { authorization: `Basic ${credentials}` } })
  const found = (await response.json()) as Post
  if (!response.ok || found.id !== post?.id || found.status !== site.postStatus) {
    throw new GalleyError({
      code: 'demo_post_missing',
      message: `${site.name} answers ${response.status} for post ${post?.id}, which Galley says it delivered.`,
      details: found,
    })
  }
  return found
}
