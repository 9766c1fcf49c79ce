import type { Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import type { PostRecord } from '../../wordpress/types.ts'

/** Fields that WordPress makes an editor fill in before saving. It asks that of nobody who writes over the REST API. */
export function requiredEmpty(
  { name, requiredFields }: Pick<DeliverySite, 'name' | 'requiredFields'>,
  { id, emptyFields }: PostRecord,
): Warning[] {
  const empty = requiredFields.filter((field) => emptyFields.includes(field))
  if (empty.length === 0) return []
  return [
    {
      code: 'required_fields_empty',
      message: `Post ${id} on ${name} has nothing in ${empty.join(', ')}, which Advanced Custom Fields requires of editors: a document has nothing to put there. Fill that in in WordPress, or give the field a default value.`,
    },
  ]
}
