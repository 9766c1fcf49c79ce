import { __, _n, sprintf } from '@wordpress/i18n'
import { postStatusInWords } from '../../components/post-words.ts'

/** What happened, for each line that Galley writes into a timeline, by its step and outcome. */
const lines: Record<string, () => string> = {
  'plan queued': () => __('It waits for its turn.', 'galley'),
  'plan held': () => __('It waits, since its site cannot be delivered to.', 'galley'),
  'plan delivering': () => __('A newer version came while it was under way.', 'galley'),
  'plan retried': () => __('Somebody had it tried again.', 'galley'),
  'plan cancelled': () => __('Somebody cancelled it.', 'galley'),
  'claim process_ended': () => __('The process that worked on it ended; another goes on.', 'galley'),
  'claim held': () => __('It waits for you: a process ended over it three times.', 'galley'),
  'confirm confirmed': () => __('Its source confirmed the document.', 'galley'),
  'reserve intended': () => __('A draft is about to be made on the site.', 'galley'),
  'reserve created': () => __('A draft was made on the site.', 'galley'),
  'reserve adopted': () => __('The post that was there already is used.', 'galley'),
  'reserve removed': () => __('A post that was there twice was removed.', 'galley'),
  'reserve refused': () => __('The site refused the draft.', 'galley'),
  'terms resolved': () => __('Categories and tags were found or made.', 'galley'),
  'media uploaded': () => __('A file was brought into the library.', 'galley'),
  'media adopted': () => __('A file that was in the library already is used.', 'galley'),
  'media missing': () => __('A file is not in the library any more.', 'galley'),
  'media looked up': () => __('The library was searched for a file whose upload got no answer.', 'galley'),
  'media skipped': () => __('A file could not be brought into the library.', 'galley'),
  'fill intended': () => __('The text is about to be written into the post.', 'galley'),
  'fill found': () => __('The text stood in the post already.', 'galley'),
  'fill unchanged': () => __('The post said this already.', 'galley'),
  'fill signed': () => __('Its author is named by a plugin of the site.', 'galley'),
  'fill lowered': () => __('The post got a lower status than was asked for.', 'galley'),
  'verify done': () => __('What stands on the site was compared with what was sent.', 'galley'),
  'verify removed': () => __('The post was in the trash right after it had been saved.', 'galley'),
  'deliver delivered': () => __('Delivered.', 'galley'),
  'tidy removed': () => __('What a late answer of the site had left was removed.', 'galley'),
  'tidy given_up': () =>
    __('What a late answer of the site may have left could not be looked for.', 'galley'),
}

/** How an attempt ended that did not deliver it. */
const ends: Record<string, () => string> = {
  will_retry: () => __('This attempt failed; it is tried again.', 'galley'),
  held: () => __('It waits for you.', 'galley'),
  failed: () => __('It failed and is not tried again.', 'galley'),
}

/** While what. */
const steps: Record<string, () => string> = {
  prepare: () => __('While the document was read', 'galley'),
  confirm: () => __('While its source was asked', 'galley'),
  reserve: () => __('While the draft was made', 'galley'),
  terms: () => __('While categories and tags were looked for', 'galley'),
  media: () => __('While files were brought into the library', 'galley'),
  fill: () => __('While the text was written', 'galley'),
  verify: () => __('While the post was compared', 'galley'),
  store: () => __('While its outcome was written down', 'galley'),
}

interface InWords {
  /** A sentence. */
  what: string
  /** At which step, where the sentence does not say. */
  while?: string
}

/** A line of a timeline as a sentence; undefined for one of a version of Galley that writes others. */
export function stepInWords(step: string, outcome: string): InWords | undefined {
  const line = lines[`${step} ${outcome}`]
  if (line) return { what: line() }
  const [end, at] = [ends[outcome], steps[step]]
  if (end === undefined) return undefined
  return { what: end(), ...(at && { while: at() }) }
}

/** What is said beside it: most is a name or a number of the site's, and stays as it is. */
export function detailInWords(detail: string): string {
  const [, id, status] = /^post (\d+)(?: is ([\w-]+))?$/.exec(detail) ?? []
  if (id === undefined) return termsInWords(detail) ?? detail
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
