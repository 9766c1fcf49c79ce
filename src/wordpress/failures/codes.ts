import type { FailureCode } from './catalogue.ts'
import type { Subject } from './types.ts'

type Meaning = FailureCode | Record<Subject, FailureCode>

const mayNotCreate: Meaning = {
  post: 'rights_missing',
  media: 'cannot_upload',
  term: 'cannot_create_terms',
  user: 'rights_missing',
  site: 'rights_missing',
}

const gone: Meaning = {
  post: 'post_gone',
  media: 'media_gone',
  term: 'term_gone',
  user: 'request_refused',
  site: 'request_refused',
}

/**
 * What WordPress's own `code` means to us; core's sources are the reference (`wp-includes/rest-api`,
 * `user.php`, `functions.php`, `wp-admin/includes/file.php`). `wp_die` and whatever else says nothing by
 * itself is left to the shape of the answer.
 */
const meanings: Record<string, Meaning> = {
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

  rest_post_invalid_id: gone,
  rest_term_invalid: gone,
  rest_already_trashed: gone,
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
export function meaningOf(code: string, status: number, subject: Subject): FailureCode | undefined {
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : undefined
  if (meaning === undefined) return undefined
  const failure = typeof meaning === 'string' ? meaning : meaning[subject]
  return status === 401 && RIGHTS.has(failure) ? 'not_logged_in' : failure
}
