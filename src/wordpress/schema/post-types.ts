import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { label, listOf, membersOf, word } from '../fields.ts'

export interface PostType {
  /** `post`, `page`, `product`, … */
  name: string
  /** What the REST API calls it: `posts`. */
  restBase: string
  /** As WordPress shows it: “Posts”. */
  label: string
  /** `category`, `post_tag`, … */
  taxonomies: string[]
  hasContent: boolean
  hasExcerpt: boolean
  hasFeaturedImage: boolean
}

const typeSchema = z
  .object({
    slug: word(),
    rest_base: word(),
    rest_namespace: word().default('wp/v2'),
    name: label(),
    taxonomies: listOf(word()).default([]),
    supports: z.union([z.record(z.string(), z.unknown()), z.tuple([])]).default({}),
  })
  .transform(({ slug, rest_base, rest_namespace, name, taxonomies, supports }) => ({
    namespace: rest_namespace,
    type: {
      name: slug,
      restBase: rest_base,
      label: name,
      taxonomies,
      hasContent: 'editor' in supports,
      hasExcerpt: 'excerpt' in supports,
      hasFeaturedImage: 'thumbnail' in supports,
    } satisfies PostType,
  }))

/** Parts of WordPress that are stored as posts and are none. */
const INTERNAL = /^(attachment|nav_menu_item|wp_.*)$/

/** The post types that the user may edit and a document can become, as far as the REST API shows them. */
export async function readPostTypes(client: WordPressClient): Promise<PostType[]> {
  const { value } = await read(client, membersOf(typeSchema, 1000), {
    path: '/wp/v2/types',
    query: { context: 'edit' },
    doing: 'reading the post types',
    subject: 'site',
  })
  return value
    .filter(([, { namespace, type }]) => namespace === 'wp/v2' && !INTERNAL.test(type.name))
    .map(([, { type }]) => type)
}
