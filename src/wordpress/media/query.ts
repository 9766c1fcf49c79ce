/**
 * Of a file, what is read of it (`mediaSchema`): its description as readers see it, which WordPress renders for every
 * answer otherwise, is not.
 */
const FIELDS = [
  'id',
  'slug',
  'status',
  'source_url',
  'link',
  'mime_type',
  'alt_text',
  'post',
  'media_details',
]

/** Of every request that is answered with a file of the library. */
export const MEDIA_QUERY = { context: 'edit', _fields: FIELDS.join() } as const
