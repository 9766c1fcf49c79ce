import { z } from 'zod'
import { stripUnstorable } from '../fields.ts'
import type { FailureCode } from './catalogue.ts'
import type { RequestSubject } from './types.ts'

const LONGEST_CODE = 200
/** Of what WordPress says, in characters; a sentence of a plugin's may be long, a page is none. */
const LONGEST_MESSAGE = 2000

const MOST_PARAMETERS = 50

const byParameter = <Value extends z.ZodType>(value: Value) =>
  z
    .custom((map) => typeof map === 'object' && map !== null && Object.keys(map).length <= MOST_PARAMETERS)
    .pipe(z.record(z.string().max(LONGEST_CODE), value))
    .optional()
    .catch(undefined)

const parametersSchema = byParameter(z.string().transform((text) => stripUnstorable(text.slice(0, 200))))

/** The error behind each of those parameters (WordPress 5.8). */
const detailsSchema = byParameter(
  z.object({
    code: z.string().max(LONGEST_CODE),
    data: z.object({ status: z.number() }).optional().catch(undefined),
  }),
)

const messageSchema = z.string().transform((text) => stripUnstorable(text.slice(0, LONGEST_MESSAGE)))

const restErrorSchema = z.object({
  code: z.string().max(LONGEST_CODE).transform(stripUnstorable),
  message: messageSchema,
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
  error_description: messageSchema,
})

/** What a plugin says in the place of the REST API, as OAuth servers do (JWT Authentication). */
export const foreignErrorMessage = (json: unknown): string | undefined =>
  foreignSchema.safeParse(json).data?.error_description

const sentObject = z.object({ message: messageSchema }).transform(({ message }) => message)

const sentSchema = z.object({
  success: z.literal(false),
  // Of a `WP_Error`, each of its messages.
  data: z.union([
    messageSchema,
    sentObject,
    z.tuple([sentObject], z.unknown()).transform(([first]) => first),
  ]),
})

/** What a plugin says that ends a request with `wp_send_json_error`, of which WordPress makes HTTP 200 by itself. */
export const sentErrorMessage = (json: unknown): string | undefined => sentSchema.safeParse(json).data?.data

export const parseRestError = (json: unknown): RestError | undefined => restErrorSchema.safeParse(json).data

type CodeMeaning = FailureCode | Record<RequestSubject, FailureCode>

const mayNotCreate: CodeMeaning = {
  post: 'rights_missing',
  media: 'cannot_upload',
  term: 'cannot_create_terms',
  user: 'rights_missing',
  site: 'rights_missing',
}

const goneBySubject: CodeMeaning = {
  post: 'post_gone',
  media: 'media_gone',
  term: 'term_gone',
  user: 'request_refused',
  site: 'request_refused',
}

/** What WordPress's own `code` means to us, by core's sources; `wp_die` and the like are left to the answer's shape. */
const failuresByCode: Record<string, CodeMeaning> = {
  rest_not_logged_in: 'not_logged_in',
  incorrect_password: 'password_wrong',
  incorrect_application_password: 'password_wrong',
  invalid_username: 'username_unknown',
  invalid_email: 'username_unknown',
  application_passwords_disabled: 'application_passwords_off',
  application_passwords_disabled_for_user: 'application_passwords_off',

  rest_cannot_create: mayNotCreate,
  rest_cannot_edit: 'rights_missing',
  rest_cannot_read: 'rights_missing',
  rest_cannot_view: 'rights_missing',
  rest_cannot_delete: 'rights_missing',
  rest_cannot_update: 'rights_missing',
  rest_cannot_assign_term: 'rights_missing',
  rest_cannot_edit_others: 'rights_missing',
  rest_forbidden: 'rights_missing',
  rest_forbidden_context: 'rights_missing',
  rest_forbidden_status: 'rights_missing',
  rest_user_cannot_view: 'rights_missing',
  rest_cannot_publish: 'cannot_publish',

  rest_disabled: 'rest_api_disabled',
  rest_login_required: 'rest_api_disabled',
  rest_cannot_access: 'rest_api_disabled',
  rest_api_authentication_required: 'rest_api_disabled',
  rest_no_route: 'rest_route_missing',

  internal_server_error: 'php_fatal_error',
  db_connect_fail: 'database_down',

  rest_post_invalid_id: goneBySubject,
  rest_term_invalid: goneBySubject,
  rest_already_trashed: goneBySubject,
  rest_trash_not_supported: 'trash_off',
  term_exists: 'term_exists',
  duplicate_term_slug: 'term_slug_taken',
  rest_invalid_param: 'field_refused',
  rest_missing_callback_param: 'field_refused',
  rest_invalid_field: 'field_refused',
  rest_invalid_featured_media: 'field_refused',
  empty_content: 'field_refused',
  empty_term_name: 'field_refused',

  rest_upload_sideload_error: 'upload_refused',
  rest_upload_unknown_error: 'upload_refused',
  rest_upload_file_error: 'upload_refused',
  rest_upload_image_type_not_supported: 'upload_refused',
  rest_upload_no_data: 'upload_refused',
  // What becomes of a form that is larger than post_max_size: PHP reads no file out of it, and WordPress takes it for one.
  rest_upload_no_content_disposition: 'upload_too_big',
  rest_upload_file_too_big: 'upload_too_big',
  rest_upload_limited_space: 'upload_quota_full',
  rest_upload_user_quota_exceeded: 'upload_quota_full',
}

/** Sent with 401 they say that nobody is logged in, and nothing about rights (`rest_authorization_required_code`). */
const RIGHTS: ReadonlySet<FailureCode> = new Set([
  'rights_missing',
  'cannot_publish',
  'cannot_upload',
  'cannot_create_terms',
])

/** The failure a WordPress `code` stands for; `undefined` where the code is not known. */
export function failureForCode(
  code: string,
  status: number,
  subject: RequestSubject,
): FailureCode | undefined {
  const meaning = Object.hasOwn(failuresByCode, code) ? failuresByCode[code] : undefined
  if (meaning === undefined) return undefined
  const failure = typeof meaning === 'string' ? meaning : meaning[subject]
  return status === 401 && RIGHTS.has(failure) ? 'not_logged_in' : failure
}
