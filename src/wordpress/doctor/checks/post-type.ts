import type { PostSchema, PostType } from '../../schema/index.ts'
import { ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

export function checkPostType(postTypes: PostType[], restBase: string): Finding {
  const type = postTypes.find((candidate) => candidate.restBase === restBase)
  if (!type) {
    return problem(
      'post_type',
      `There is no post type “${restBase}” that this user may edit; there is ${list(postTypes.map((t) => t.restBase))}.`,
      'Nothing can be delivered to this post type.',
      'Choose one of these in the site’s settings, or let the type be shown in the REST API (show_in_rest).',
    )
  }
  if (!type.hasContent) {
    return problem(
      'post_type',
      `Posts of the type ${type.label} have no content in WordPress.`,
      'The text of a document would be dropped.',
      'Choose another post type in the site’s settings.',
    )
  }
  return ok('post_type', `Documents become ${type.label}.`, 'Posts of this type have a text.')
}

export function checkTerms({ fields }: PostSchema): Finding {
  const missing = ['categories', 'tags'].filter((taxonomy) => !fields.includes(taxonomy))
  if (missing.length === 0)
    return ok('terms', 'Posts of this type take categories and tags.', 'Both are set.')
  return warning(
    'terms',
    `Posts of this type take no ${missing.join(' and no ')}.`,
    `A document’s ${missing.join(' and ')} are left out, with a warning on the delivery.`,
    'Choose another post type, or register the taxonomy for it in WordPress.',
  )
}

const list = (names: string[]): string => (names.length > 0 ? names.join(', ') : 'none')
