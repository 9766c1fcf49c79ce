import { read, type WordPressClient, type WordPressRequest } from '../client/index.ts'
import { listOf, onSite } from '../fields.ts'
import { mediaSchema } from '../records.ts'
import type { MediaRecord } from '../types.ts'

/** Makes a request that is answered with a file of the library. */
export const readFile = async (client: WordPressClient, request: WordPressRequest): Promise<MediaRecord> =>
  located(client, (await read(client, mediaSchema, request)).value)

/** Makes a request that is answered with a list of them. */
export const readFiles = async (client: WordPressClient, request: WordPressRequest): Promise<MediaRecord[]> =>
  (await read(client, listOf(mediaSchema), request)).value.map((file) => located(client, file))

/** Plugins that shorten addresses leave the host out of them; a post may be read elsewhere, as in a feed. */
function located({ site: { restRoot } }: WordPressClient, file: MediaRecord): MediaRecord {
  const sizes = Object.entries(file.sizes).map(([name, size]) => [
    name,
    { ...size, url: onSite(size.url, restRoot) },
  ])
  return {
    ...file,
    sourceUrl: onSite(file.sourceUrl, restRoot),
    link: onSite(file.link, restRoot),
    sizes: Object.fromEntries(sizes),
  }
}
