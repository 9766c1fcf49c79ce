import { __, _n, sprintf } from '@wordpress/i18n'
import { postStatusInWords } from '../../components/post-words.ts'
import { CODE } from '../../translate-answer.ts'

/** The lines of a timeline, by step and outcome. */
const lines: Record<string, () => string> = {
  'plan queued': () => __('It was queued.', 'galley'),
  'plan held': () => __('It was put on hold, because nothing could be delivered to its site.', 'galley'),
  'plan delivering': () => __('A newer version arrived while it was being delivered.', 'galley'),
  'plan retried': () => __('Somebody retried it.', 'galley'),
  'plan cancelled': () => __('Somebody cancelled it.', 'galley'),
  'plan kept': () => __('Somebody kept the edited post.', 'galley'),
  'plan withdrawing': () => __('Somebody asked to withdraw its post.', 'galley'),
  'claim process_ended': () => __('The process that worked on it ended; another one continued.', 'galley'),
  'claim held': () =>
    __('It was put on hold: Galley’s process crashed three times while working on it.', 'galley'),
  'confirm confirmed': () => __('Its source confirmed the document.', 'galley'),
  'reserve intended': () => __('Galley began to create a draft on the site.', 'galley'),
  'reserve created': () => __('A draft was created on the site.', 'galley'),
  'reserve adopted': () => __('The existing post was used.', 'galley'),
  'reserve removed': () => __('A duplicate post was removed.', 'galley'),
  'reserve restoring': () => __('Galley began to take the post out of the trash.', 'galley'),
  'reserve restored': () => __('The post was taken out of the trash.', 'galley'),
  'reserve refused': () => __('The site refused the draft.', 'galley'),
  'terms resolved': () => __('Categories and tags were found or created.', 'galley'),
  'media uploaded': () => __('A file was added to the media library.', 'galley'),
  'media adopted': () => __('A file that was already in the media library was used.', 'galley'),
  'media missing': () => __('A file was no longer in the media library.', 'galley'),
  'media looked up': () =>
    __('The media library was searched for a file whose upload got no answer.', 'galley'),
  'media removed': () => __('A duplicate file was removed from the media library.', 'galley'),
  'media skipped': () => __('A file could not be added to the media library.', 'galley'),
  'fill intended': () => __('Galley began to write the text into the post.', 'galley'),
  'fill found': () => __('The text was already in the post.', 'galley'),
  'fill edited': () => __('Somebody had edited the post.', 'galley'),
  'fill unchanged': () => __('The post already said this.', 'galley'),
  'fill canonical': () => __('The first public post of the document was named as the original.', 'galley'),
  'fill signed': () => __('Its author was named by a plugin of the site.', 'galley'),
  'fill lowered': () => __('The post got a lower status than was asked for.', 'galley'),
  'verify done': () => __('What is on the site was compared with what was sent.', 'galley'),
  'verify removed': () => __('The post was in the trash right after it had been saved.', 'galley'),
  'follow published': () => __('The post was published.', 'galley'),
  'follow changed': () => __('The post was changed in WordPress.', 'galley'),
  'follow trashed': () => __('The post was moved to the trash.', 'galley'),
  'follow deleted': () => __('The post was deleted in WordPress.', 'galley'),
  'follow found': () => __('The post had another status.', 'galley'),
  'follow schedule_missed': () => __('The post was not published in time.', 'galley'),
  'deliver delivered': () => __('Delivered.', 'galley'),
  'public found': () => __('Visitors did not see the post as it is.', 'galley'),
  'public fine': () => __('Visitors saw the post.', 'galley'),
  'public unreadable': () => __('Galley could not look at the page of the post.', 'galley'),
  'withdraw intended': () => __('Galley began to take the post off the site.', 'galley'),
  'withdraw done': () => __('The post was taken off the site.', 'galley'),
  'withdraw found': () => __('The post was off the site already.', 'galley'),
  'withdraw gone': () => __('The post was no longer there.', 'galley'),
  'withdraw withdrawn': () => __('Withdrawn.', 'galley'),
  'plan undoing': () => __('Somebody asked for the edited text back.', 'galley'),
  'undo intended': () => __('Galley began to put the edited text back.', 'galley'),
  'undo done': () => __('The edited text was put back.', 'galley'),
  'undo found': () => __('The edited text was back already.', 'galley'),
  'undo kept': () => __('The edited post was kept.', 'galley'),
  'undo refused': () => __('The edited text was not put back, so that nothing newer was lost.', 'galley'),
  'orphans removed': () => __('What a late answer from the site left behind was removed.', 'galley'),
  'orphans given_up': () =>
    __('Galley could not look for what a late answer from the site may have left behind.', 'galley'),
}

/** How an attempt ended without delivering. */
const ends: Record<string, () => string> = {
  will_retry: () => __('This attempt failed; another one was planned.', 'galley'),
  held: () => __('It was put on hold for you.', 'galley'),
  failed: () => __('It failed, and was not tried again.', 'galley'),
}

/** During which step. */
const steps: Record<string, () => string> = {
  prepare: () => __('While the document was read', 'galley'),
  confirm: () => __('While its source was asked', 'galley'),
  reserve: () => __('While the draft was created', 'galley'),
  terms: () => __('While categories and tags were looked for', 'galley'),
  media: () => __('While files were added to the media library', 'galley'),
  fill: () => __('While the text was written', 'galley'),
  verify: () => __('While the post was compared', 'galley'),
  withdraw: () => __('While the post was withdrawn', 'galley'),
  undo: () => __('While the edited text was put back', 'galley'),
  store: () => __('While its outcome was recorded', 'galley'),
}

interface InWords {
  /** A sentence. */
  what: string
  /** The step, where the sentence does not name it. */
  while?: string
}

/** A line of a timeline as a sentence; undefined for one of a newer Galley. */
export function stepInWords(step: string, outcome: string): InWords | undefined {
  const line = lines[`${step} ${outcome}`]
  if (line) return { what: line() }
  const [end, at] = [ends[outcome], steps[step]]
  if (end === undefined) return undefined
  return { what: end(), ...(at && { while: at() }) }
}

/** The detail of a line: mostly a name or a number of the site, or what failed; undefined of an event, which the page has below. */
export function detailInWords(detail: string): string | undefined {
  if (/^event [\da-f-]{36}$/.test(detail)) return undefined
  const [, name] = /^by (.+)$/.exec(detail) ?? []
  // translators: %s: the name of a person
  if (name !== undefined) return sprintf(__('By %s', 'galley'), name)
  const [, id, status] = /^post (\d+)(?: is ([\w-]+))?$/.exec(detail) ?? []
  if (id === undefined) return termsInWords(detail) ?? detail.replace(CODE, '')
  // translators: %s: the number of a post in WordPress
  const post = sprintf(__('Post %s', 'galley'), id)
  return status === undefined ? post : `${post}: ${postStatusInWords(status)}`
}

function termsInWords(detail: string): string | undefined {
  const [, categories, tags] = /^(\d+) categor(?:y|ies), (\d+) tags?$/.exec(detail) ?? []
  if (categories === undefined || tags === undefined) return undefined
  const [many, more] = [Number(categories), Number(tags)]
  return [
    // translators: %d: how many categories
    sprintf(_n('%d category', '%d categories', many, 'galley'), many),
    // translators: %d: how many tags
    sprintf(_n('%d tag', '%d tags', more, 'galley'), more),
  ].join(', ')
}
