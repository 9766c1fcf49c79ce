import type { DeliverySite } from '../../sites/connected-site.ts'
import type { InspectedFile } from '../../wordpress/media/index.ts'
import type { MediaRecord } from '../../wordpress/types.ts'

/** Far above any id of a real library, so that nobody takes one for the other. */
const FIRST_ID = 9_000_000_000

/**
 * The boxes of a new WordPress, in pixels; a size is made of a picture that is larger than its box. A site that has
 * changed them, or a theme with sizes of its own, may differ.
 */
const BOXES = {
  thumbnail: { width: 150, height: 150 },
  medium: { width: 300, height: 300 },
  medium_large: { width: 768, height: Number.POSITIVE_INFINITY },
  large: { width: 1024, height: 1024 },
}

/** A file as the library would answer it, with numbered stand-ins for what only the library gives. */
export function placeholderRecord({
  site,
  number,
  file: { dimensions: picture, mimeType },
}: {
  site: DeliverySite
  number: number
  file: InspectedFile
}): MediaRecord {
  const url = `${site.url}/galley-upload-${number}`
  const made = Object.entries(BOXES).filter(
    ([, box]) => picture !== null && (picture.width > box.width || picture.height > box.height),
  )
  return {
    id: FIRST_ID + number,
    slug: '',
    status: 'inherit',
    link: `${url}-page`,
    sourceUrl: url,
    mimeType,
    altText: '',
    post: 0,
    sizes: Object.fromEntries([
      ['full', { url, width: 0, height: 0 }],
      ...made.map(([name, box]) => [name, { url: `${url}-${name}`, ...box }]),
    ]),
  }
}
