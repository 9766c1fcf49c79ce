import { z } from 'zod'
import { cleaned } from '../fields.ts'

const LONGEST_CODE = 200
/** Of what WordPress says, in characters; a sentence of a plugin's may be long, a page is none. */
const LONGEST_MESSAGE = 2000

/** Parameters that WordPress names in one refusal. */
const MOST_PARAMETERS = 50

const fewOf = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length <= MOST_PARAMETERS

/** Which parameters `rest_invalid_param` refuses, and why. */
const parametersSchema = z
  .custom(fewOf)
  .pipe(
    z.record(
      z.string().max(LONGEST_CODE),
      z.string().transform((text) => cleaned(text.slice(0, 200))),
    ),
  )
  .optional()
  .catch(undefined)

/** The error behind each of those parameters (WordPress 5.8). */
const detailsSchema = z
  .custom(fewOf)
  .pipe(
    z.record(
      z.string().max(LONGEST_CODE),
      z.object({
        code: z.string().max(LONGEST_CODE),
        data: z.object({ status: z.number() }).optional().catch(undefined),
      }),
    ),
  )
  .optional()
  .catch(undefined)

const restErrorSchema = z.object({
  code: z.string().max(LONGEST_CODE).transform(cleaned),
  message: z.string().transform((text) => cleaned(text.slice(0, LONGEST_MESSAGE))),
  // Of its data, what somebody here reads; the rest may be of any size.
  data: z
    .object({
      status: z.number().optional().catch(undefined),
      term_id: z
        .union([z.number(), z.string().max(20)])
        .optional()
        .catch(undefined),
      params: parametersSchema,
      details: detailsSchema,
    })
    .optional()
    .catch(undefined),
})

/** WordPress's way of reporting an error (`WP_REST_Server::error_to_response`). */
export type RestError = z.output<typeof restErrorSchema>

const foreignSchema = z.object({
  status: z.literal('error'),
  error: z.string(),
  error_description: z.string().transform((text) => cleaned(text.slice(0, LONGEST_MESSAGE))),
})

/**
 * What a plugin says that answers in the place of the REST API and in a way of its own, as OAuth servers do (JWT
 * Authentication for WP REST APIs); undefined where it is something else.
 */
export const refusalInPlace = (json: unknown): string | undefined =>
  foreignSchema.safeParse(json).data?.error_description

const messageSchema = z.string().transform((text) => cleaned(text.slice(0, LONGEST_MESSAGE)))
const sentSchema = z.object({
  success: z.literal(false),
  data: z.union([
    messageSchema,
    z.object({ message: messageSchema }).transform(({ message }) => message),
    // of a `WP_Error`, each of its messages
    z
      .array(z.unknown())
      .min(1)
      .transform(([first]) => first)
      .pipe(z.object({ message: messageSchema }).transform(({ message }) => message)),
  ]),
})

/** What a plugin says that ends a request with `wp_send_json_error`, of which WordPress makes HTTP 200 by itself. */
export const sentErrorIn = (json: unknown): string | undefined => sentSchema.safeParse(json).data?.data

/** The error that an answer reports, or undefined where it is something else. */
export const restErrorIn = (json: unknown): RestError | undefined => restErrorSchema.safeParse(json).data
