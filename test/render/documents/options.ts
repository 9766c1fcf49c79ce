import fc from 'fast-check'
import { type Document, filesOf } from '../../../src/blocks/document.ts'
import { type RenderMedia, type RenderOptions, renderSettingsSchema } from '../../../src/render/options.ts'

/** The choices a site can make, but for those that leave text out. */
const settings = fc
  .record({
    top_heading_level: fc.integer({ min: 1, max: 6 }),
    code_language_class: fc.boolean(),
    outside_links_in_new_tab: fc.boolean(),
    outside_link_rel: fc.subarray(['nofollow', 'ugc'] as const),
    image_size: fc.constantFrom('large', 'medium', 'full'),
    image_link: fc.constantFrom('none', 'media', 'attachment'),
    more_after: fc.option(fc.integer({ min: 1, max: 4 })),
    audio: fc.constantFrom('top', 'bottom'),
  })
  .map((choices) => renderSettingsSchema.parse(choices))

export type Choices = Omit<RenderOptions, 'format' | 'media'> & { uploaded: boolean }

export const choices: fc.Arbitrary<Choices> = fc.record({
  settings,
  siteOrigin: fc.constant('https://site.example'),
  /** Whether pictures and sounds are in the site's library. */
  uploaded: fc.boolean(),
})

/** The library after everything in the document was uploaded. */
export function libraryOf({ blocks, audio }: Document): Map<string, RenderMedia> {
  const urls = filesOf([...blocks, ...(audio ? [audio] : [])]).map(({ url }) => url)
  return new Map(
    urls.map((url, index) => [
      url,
      {
        id: index + 1,
        url: `https://site.example/${index + 1}.png`,
        link: `https://site.example/?attachment_id=${index + 1}`,
      },
    ]),
  )
}
