import { z } from 'zod'

/**
 * What a warning says about the result. `note`: nothing is missing. `change`: every sentence is there, and something is not as it was
 * asked for. `loss`: words, a picture or an address are missing, or markup shows as letters.
 */
export const severities = ['note', 'change', 'loss'] as const

export type Severity = (typeof severities)[number]

/** Every code of a warning. A new one is a line here. */
const catalogue = {
  // Reading a document.
  audio_without_url: 'loss',
  block_flattened: 'change',
  block_left_out: 'loss',
  block_unknown: 'change',
  block_unwrapped: 'change',
  columns_stacked: 'change',
  embed_as_link: 'change',
  entity_in_text: 'loss',
  footnotes_as_list: 'change',
  format_changed: 'change',
  format_left_out: 'loss',
  format_note: 'note',
  heading_level: 'change',
  image_without_url: 'loss',
  inline_format_left_out: 'loss',
  inline_unknown: 'change',
  link_without_host: 'note',
  link_without_target: 'change',
  list_order: 'change',
  looks_like_html: 'loss',
  looks_like_markdown: 'loss',
  math_as_code: 'change',
  member_kept: 'change',
  member_unknown: 'change',
  sender_loss: 'loss',
  text_left_out: 'loss',
  // Those that are not listed may be losses.
  warnings_left_out: 'loss',

  // Rendering.
  audio_unsafe: 'loss',
  image_unsafe: 'loss',
  link_unsafe: 'loss',
  video_unsafe: 'loss',

  // Files.
  file_kept_remote: 'change',
  file_left_out: 'loss',
  file_unavailable: 'loss',
  picture_kept_large: 'note',
  picture_left_out: 'loss',
  picture_pages_left_out: 'loss',

  // Categories and tags, which belong to a post and not to its text.
  categories_dropped: 'change',
  categories_replaced: 'change',
  categories_unavailable: 'change',
  category_ambiguous: 'note',
  tags_dropped: 'change',
  tags_replaced: 'change',
  tags_unavailable: 'change',
  term_fallback: 'change',
  term_missing: 'change',
  term_not_created: 'change',

  // The post on its site.
  address_expires: 'change',
  author_changed: 'change',
  author_dropped: 'change',
  author_unknown: 'change',
  blocks_stripped: 'change',
  byline_changed: 'change',
  byline_unset: 'change',
  change_kept: 'change',
  change_merged: 'change',
  change_overwritten: 'change',
  comments_dropped: 'change',
  custom_field_unfit: 'change',
  custom_field_unknown: 'change',
  draft_for_loss: 'change',
  embargo_unread: 'loss',
  excerpt_dropped: 'loss',
  featured_image_dropped: 'loss',
  fields_dropped: 'change',
  format_dropped: 'change',
  menu_order_dropped: 'change',
  language_dropped: 'change',
  language_unavailable: 'change',
  meta_dropped: 'change',
  meta_refused: 'change',
  parent_ambiguous: 'change',
  parent_dropped: 'change',
  parent_unknown: 'change',
  password_dropped: 'loss',
  password_set: 'change',
  pings_dropped: 'change',
  post_address_elsewhere: 'note',
  post_missing: 'note',
  post_type_dropped: 'change',
  post_type_kept: 'change',
  public_cached_404: 'loss',
  public_coming_soon: 'change',
  public_login: 'change',
  public_noindex: 'change',
  public_not_found: 'loss',
  public_other_page: 'loss',
  public_picture_missing: 'loss',
  public_redirected: 'loss',
  public_reserved_address: 'loss',
  public_text_missing: 'loss',
  public_title_missing: 'change',
  publish_at_dropped: 'change',
  reference_dropped: 'note',
  required_fields_empty: 'note',
  schedule_missed: 'change',
  scheduled: 'change',
  seo_dropped: 'change',
  seo_unavailable: 'change',
  slug_changed: 'change',
  slug_dropped: 'change',
  slug_rewritten: 'note',
  slug_shortened: 'change',
  slug_taken: 'change',
  status_changed: 'change',
  status_limited: 'change',
  status_lowered: 'change',
  status_unavailable: 'change',
  sticky_dropped: 'change',
  taxonomies_dropped: 'change',
  taxonomy_unknown: 'change',
  template_dropped: 'change',
  text_incomplete: 'loss',
  title_changed: 'change',
  undo_altered: 'change',
  undo_incomplete: 'change',
  undo_refused: 'change',
  visibility_dropped: 'change',

  // Generating.
  content_missed: 'change',
  keyword_missing: 'note',
  keyword_stuffed: 'note',
  language_nearest: 'change',
  narration_left_out: 'loss',
  no_search_provider: 'note',
  nothing_found: 'note',
  nothing_readable: 'note',
  page_not_read: 'note',
  picture_notice: 'note',
  quality_ignored: 'change',
  queries_not_planned: 'note',
  search_failed: 'note',
  sections_missed: 'change',
  speech_notice: 'note',
  style_ignored: 'change',
  text_length_missed: 'change',
  text_not_revised: 'change',
  voice_nearest: 'change',
  voices_mixed: 'change',
} as const satisfies Record<string, Severity>

export type WarningCode = keyof typeof catalogue

export const warningCodes = Object.keys(catalogue) as [WarningCode, ...WarningCode[]]

/** Something a person should know that did not stop the work. */
export interface Warning {
  code: WarningCode
  message: string
}

export const severityOf = (code: WarningCode): Severity => catalogue[code]

export const severitySchema = z
  .enum(severities)
  .describe(
    'note: nothing is missing. change: every sentence is there, and something is not as it was asked for. loss: words, a picture or an address are missing, or markup shows as letters.',
  )

export const warningCodeSchema = z.enum(warningCodes).meta({ id: 'WarningCode' })

/** A warning as it is stored and answered. */
export const warningSchema = z
  .object({ code: warningCodeSchema, message: z.string(), severity: severitySchema })
  .meta({ id: 'Warning' })

export type RatedWarning = z.output<typeof warningSchema>

export const withSeverity = (warnings: readonly Warning[]): RatedWarning[] =>
  warnings.map(({ code, message }) => ({ code, message, severity: severityOf(code) }))

export const lossesOf = (warnings: readonly Warning[]): Warning[] =>
  warnings.filter(({ code }) => severityOf(code) === 'loss')
