import { z } from 'zod'
import { cleaned } from '../fields.ts'

const LONGEST_CODE = 200
/** Of what WordPress says, in characters; a sentence of a plugin's may be long, a page is none. */
const LONGEST_MESSAGE = 2000

const restErrorSchema = z.object({
  code: z.string().max(LONGEST_CODE).transform(cleaned),
  message: z.string().transform((text) => cleaned(text.slice(0, LONGEST_MESSAGE))),
  // Of its data, what somebody here reads; the rest may be of any size.
  data: z
    .object({ status: z.number(), term_id: z.union([z.number(), z.string().max(20)]) })
    .partial()
    .optional()
    .catch(undefined),
})

/** WordPress's way of reporting an error (`WP_REST_Server::error_to_response`). */
export type RestError = z.output<typeof restErrorSchema>

/** The error that an answer reports, or undefined where it is something else. */
export const restErrorIn = (json: unknown): RestError | undefined => restErrorSchema.safeParse(json).data
