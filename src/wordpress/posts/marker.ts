/** Core's statuses of a post, for a site that does not say which it has. */
export const CORE_STATUSES = ['publish', 'future', 'draft', 'pending', 'private']

/** WordPress renames a trashed post's slug (`wp_add_trashed_suffix_to_post_name_for_post`). */
export const slugsOf = (marker: string): string[] => [marker, `${marker}__trashed`]

/** The marker and what WordPress makes of it while it is taken (`wp_unique_post_slug`): `-2` up to `-9`. */
export const numberedSlugsOf = (marker: string): string[] => [
  marker,
  ...Array.from({ length: 8 }, (_, n) => `${marker}-${n + 2}`),
]
