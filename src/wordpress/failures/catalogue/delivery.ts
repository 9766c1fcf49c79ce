import type { Facts, Failure } from '../types.ts'
import { quoted } from './words.ts'

/** This document, picture or term is refused; the site works. */
const refused = (happened: (facts: Facts) => string, todo: string) =>
  ({ fault: 'delivery', action: 'permanent', effect: 'none', happened, todo }) satisfies Failure

export const deliveryFailures = {
  post_gone: refused(
    ({ site, doing }) => `The post on ${site} is no longer there (while ${doing}): somebody deleted it.`,
    'Retry the delivery to create it again.',
  ),
  media_gone: refused(
    ({ site, doing }) => `The file in the media library of ${site} is no longer there (while ${doing}).`,
    'Somebody deleted it; retry the delivery to upload it again.',
  ),
  term_gone: refused(
    ({ site, doing }) => `The category or tag on ${site} is no longer there (while ${doing}).`,
    'Retry the delivery to look it up again.',
  ),
  term_exists: refused(
    ({ site }) => `${site} has this category or tag already.`,
    'Galley uses the existing one.',
  ),
  term_slug_taken: refused(
    ({ site, said }) => `${site} has another category or tag with the same slug${quoted(said)}.`,
    'Rename one of them.',
  ),
  field_refused: refused(
    ({ site, doing, said }) => `WordPress on ${site} refused a field while ${doing}${quoted(said)}.`,
    "Fix the document or the site's settings, then retry.",
  ),
  upload_too_big: refused(
    ({ site, said }) => `The file is larger than ${site} accepts${quoted(said)}.`,
    'Raise upload_max_filesize and post_max_size in PHP, or use a smaller file.',
  ),
  upload_quota_full: refused(
    ({ site, said }) => `The upload space of ${site} is used up${quoted(said)}.`,
    "Free some, or raise the site's quota.",
  ),
  upload_refused: refused(
    ({ site, said }) => `WordPress on ${site} did not store the file${quoted(said)}.`,
    'Its type is not allowed there, or wp-content/uploads or PHP’s temporary folder cannot be written, or PHP takes no uploads (file_uploads in php.ini).',
  ),
  answer_of_another: {
    fault: 'delivery',
    action: 'owner',
    // Held at once, and by its intent looked for when it is retried.
    effect: 'none',
    happened: ({ site, doing, found }) =>
      `${site} gave an answer that belongs to another request while ${doing}${found ? ` (${found})` : ''}, as a cache does.`,
    todo: 'Exclude /wp-json/ from what the caching plugin, the web server or the CDN of the site keeps, then check the site and retry this delivery.',
  },
  request_refused: {
    fault: 'delivery',
    action: 'permanent',
    effect: 'unknown',
    happened: ({ site, doing, status, said }) =>
      `WordPress on ${site} refused while ${doing} (HTTP ${status})${quoted(said)}.`,
    todo: 'A plugin may impose rules of its own.',
  },
} satisfies Record<string, Failure>
