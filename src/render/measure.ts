import { LIMITS } from '../contract/limits.ts'
import type { Normalised } from '../contract/tree.ts'
import { renderDocument } from './render.ts'
import { type RenderSettings, renderSettingsSchema } from './settings.ts'

/*
 * The most bytes of markup that may come of one of each, whatever a site's settings, its pictures aside: measured by a
 * test with the shapes that become most. Of a character: a bracket in an address that stands twice, percent-encoded.
 */
const BYTES = { text: 20, blocks: 400, inlines: 180, cells: 10 }

/** The settings that write most. */
const widest: RenderSettings = renderSettingsSchema.parse({
  outside_links_in_new_tab: true,
  outside_link_rel: ['nofollow', 'sponsored', 'ugc', 'noopener', 'noreferrer', 'external'],
  image_size: 'medium_large',
  image_link: 'media',
})

/** Bytes that the markup of a document cannot exceed. */
export const mostMarkup = ({ size: { text, blocks, inlines, cells } }: Normalised): number =>
  text * BYTES.text + blocks * BYTES.blocks + inlines * BYTES.inlines + cells * BYTES.cells

/**
 * Whether a document becomes more markup than it may. Most cannot, and are only counted; a large one is rendered.
 * @throws LimitError `document_markup_too_long`
 */
export function checkMarkup(normalised: Normalised): void {
  if (mostMarkup(normalised) <= LIMITS.markupReceived) return
  renderDocument(normalised.document, {
    format: 'block',
    media: new Map(),
    settings: widest,
    maxBytes: LIMITS.markupReceived,
  })
}
