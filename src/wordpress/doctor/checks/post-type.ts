import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import type { PostSchema, PostType } from '../../schema/index.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
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
    `Posts of this type have no ${missing.join(' and no ')}.`,
    `A document’s ${missing.join(' and ')} are left out, with a warning on the delivery.`,
    'Choose another post type, or register the taxonomy for it in WordPress.',
  )
}

/** Whether the user may read the terms that documents name: plugins close them to who may not edit any. */
export async function checkReadableTerms(client: WordPressClient, schema: PostSchema): Promise<Finding> {
  const { fields } = schema
  for (const path of ['categories', 'tags'].filter((taxonomy) => fields.includes(taxonomy))) {
    try {
      await client.request({
        path: `/wp/v2/${path}`,
        query: { per_page: 1, _fields: 'id' },
        doing: `reading the ${path}`,
        subject: 'term',
      })
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error
      const means = 'Categories and tags of documents are left out, with a warning on each delivery.'
      if (error.fault !== 'owner') return fromFailure('terms', error, means, 'warning')
      return warning(
        'terms',
        failureTextOf(error).happened,
        means,
        'Let Galley’s user read categories and tags over the REST API: find the plugin whose words these are (Solid Security: “Restricted Access” to the REST API), or make the user an editor.',
      )
    }
  }
  return checkTerms(schema)
}

const list = (names: string[]): string => (names.length > 0 ? names.join(', ') : 'none')
