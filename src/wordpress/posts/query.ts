/**
 * Of a post, what is read of it (`postSchema`). WordPress works out nothing else: to render a text that nobody reads takes
 * it as long as to save it, or longer (docs/wordpress.md). What a type or a plugin does not have is left out all the same.
 */
const FIELDS = [
  'id',
  'status',
  'slug',
  'link',
  'modified_gmt',
  'author',
  'title.raw',
  'content.raw',
  'excerpt.raw',
  'categories',
  'tags',
  'featured_media',
  'password',
  'meta',
  'acf',
  'coauthors',
  'ppma_author',
  'authorship',
]

/** Of every request that is answered with a post. */
export const POST_QUERY = { context: 'edit', _fields: FIELDS.join() } as const

/** The same, for whoever asks what the user may do with the post: the links `wp:action-…`. */
export const POST_QUERY_WITH_ACTIONS = { context: 'edit', _fields: [...FIELDS, '_links'].join() } as const

/**
 * The same, for whoever has just written it: unlike `status` and `type`, which are as they were saved, the others are of the
 * post as it stands when the answer is worked out, and show what a plugin has done meanwhile. `class_list` is there since 6.7.
 */
export const WRITTEN_POST_QUERY = {
  context: 'edit',
  _fields: [...FIELDS, 'type', 'class_list', 'permalink_template'].join(),
} as const
