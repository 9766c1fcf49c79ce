import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import { read, type WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import { listOf } from '../../fields.ts'
import { ok } from '../finding.ts'
import type { Finding } from '../types.ts'

/** What WordPress answers of a post that cannot be: the batch went through, and nothing was done. */
const PROOF = 'rest_post_invalid_id'

const answeredSchema = z.object({
  responses: listOf(z.object({ body: z.object({ code: z.string().max(200) }) }), 1),
})

/**
 * Whether WordPress's own `/batch/v1` answers this user. It is no trouble of the site where it does not: documents come
 * one by one then.
 */
export async function checkBatch(client: WordPressClient, postType: string): Promise<Finding> {
  try {
    const { value } = await read(client, answeredSchema, {
      method: 'POST',
      path: '/batch/v1',
      data: { requests: [{ method: 'DELETE', path: `/wp/v2/${postType}/0` }] },
      doing: 'sending several requests at once',
      subject: 'site',
    })
    const code = value.responses[0]?.body.code
    if (code === PROOF)
      return ok(
        'batch',
        'The site accepts several requests in one (/batch/v1).',
        'Where many documents wait they come several at a time, which is less work for the site.',
      )
    return oneByOne(`WordPress does not take several posts of this type at once: ${code ?? 'no answer'}.`)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return oneByOne(
      `The site does not accept several requests in one (/batch/v1). ${failureTextOf(error).happened}`,
    )
  }
}

const oneByOne = (seen: string): Finding =>
  ok(
    'batch',
    seen,
    'Nothing is lost: documents are delivered one by one, which takes longer when many are waiting.',
  )
