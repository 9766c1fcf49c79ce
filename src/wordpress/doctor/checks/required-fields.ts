import type { PostSchema } from '../../schema/index.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

/** Advanced Custom Fields adds it to what a post holds wherever it is, also where it shows no group of fields there. */
const FIELD = 'acf'

const UNSEEN =
  'Of field groups whose setting “Show in REST API” is off, this check cannot tell: nothing shows them to Galley.'

/** What editors must fill in and a document does not bring; no line where Advanced Custom Fields is not there. */
export function checkRequiredFields({
  fields,
  requiredFields,
}: Pick<PostSchema, 'fields' | 'requiredFields'>): Finding[] {
  if (requiredFields.length > 0)
    return [
      warning(
        'required_fields',
        `Advanced Custom Fields requires editors to fill in ${requiredFields.join(', ')}. ${UNSEEN}`,
        'It does not ask that of posts written over the REST API: they arrive without, and each delivery says so.',
        'Give those fields a default value, or fill them in in WordPress before the post is published.',
      ),
    ]
  if (!fields.includes(FIELD)) return []
  return [
    ok(
      'required_fields',
      `Advanced Custom Fields is there, and no field that it shows over the REST API has to be filled in. ${UNSEEN}`,
      'Posts arrive with such fields empty, and no delivery says so. Where editors have to fill some in, switch “Show in REST API” on in the settings of their field group (ACF → Field Groups → the group → Group Settings): then this check and each delivery name them.',
    ),
  ]
}
