import { GalleyError } from '../../../errors.ts'
import { BYLINE_FIELDS, type BylinePlugin, bylinePlugins, findByline } from '../../bylines/index.ts'
import type { WordPressClient } from '../../client/index.ts'
import type { PostSchema } from '../../schema/index.ts'
import { fromFailure, ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

interface Site {
  schema: PostSchema
  namespaces: readonly string[]
  /** The user whom the site's settings name as the author; null where they name none. */
  authorId: number | null
}

/** Whether readers will see the author whom the settings name; no line where no plugin keeps bylines. */
export async function checkByline(
  client: WordPressClient,
  { schema, namespaces, authorId }: Site,
): Promise<Finding[]> {
  const field = BYLINE_FIELDS.find((each) => schema.fields.includes(each))
  if (field === undefined) {
    const plugin = plugins.find(({ namespace }) => namespaces.includes(namespace))
    return plugin === undefined ? [] : [closed(plugin)]
  }
  const { name } = bylinePlugins[field]
  const seen = `${name} keeps the bylines that readers see.`
  if (authorId === null)
    return [
      ok('byline', seen, 'They name the user that Galley writes as; the setting “author” names another.'),
    ]
  try {
    if ((await findByline(client, { field, userId: authorId })) !== null)
      return [
        ok(
          'byline',
          seen,
          'It knows the author whom the settings name. Each delivery sets the byline, and says so where it may not.',
        ),
      ]
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return [
      fromFailure(
        'byline',
        error,
        'Readers may see a different author from the one in the settings.',
        'warning',
      ),
    ]
  }
  return [
    warning(
      'byline',
      `${name} keeps the bylines that readers see, and has no author for the user whom the settings name.`,
      'Readers see a different author, and each delivery says so.',
      `Create an author for that user in ${name}.`,
    ),
  ]
}

const plugins: readonly BylinePlugin[] = Object.values(bylinePlugins)

const closed = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} is there, but shows no byline of this type of post over the REST API.`,
    'If it keeps bylines for this type, readers see whoever it considers the author, whatever the settings say.',
    `Switch ${name} on for this type, or set the byline of each post in WordPress.`,
  )
