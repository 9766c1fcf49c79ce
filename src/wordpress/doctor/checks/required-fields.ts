import type { PostSchema } from '../../schema/index.ts'
import { warning } from '../finding.ts'
import type { Finding } from '../types.ts'

/** What editors must fill in and a document does not bring; no line where there is none. */
export const checkRequiredFields = ({ requiredFields }: Pick<PostSchema, 'requiredFields'>): Finding[] =>
  requiredFields.length === 0
    ? []
    : [
        warning(
          'required_fields',
          `Advanced Custom Fields requires editors to fill in ${requiredFields.join(', ')}.`,
          'It does not ask that of posts written over the REST API: they arrive without, and each delivery says so.',
          'Give those fields a default value, or fill them in in WordPress before the post is published.',
        ),
      ]
