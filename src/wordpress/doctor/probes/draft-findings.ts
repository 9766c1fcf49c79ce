import { isSameTitle } from '../../posts/index.ts'
import type { PostRecord } from '../../types.ts'
import { type Finding, ok, problem, warning } from '../report.ts'
import { type ProbeDraft, probeTitle } from './temporary-draft.ts'

/** Of two creations with one answer. */
export const cachedAnswerFinding = (): Finding =>
  problem(
    'own_answers',
    'Two requests for a new draft got the same answer: something on the site caches answers of the REST API.',
    'Documents would be mixed up, so Galley holds them instead of trusting such answers.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps (WP REST API Cache: switch it off), then check again.',
  )

/** Of a creation whose answer shows a post that is none of ours. */
export const foreignAnswerFinding = (): Finding =>
  problem(
    'own_answers',
    'The answer to a request for a new draft showed another post: something on the site answers with posts of its own choice, as a cache does.',
    'Documents would be mixed up, so Galley holds them instead of trusting such answers.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps, and exclude Galley’s user from plugins that change new posts; then check again.',
  )

/** Of a new draft that has nothing of what it was given. */
export const rewrittenIdentityFinding = ({ slug, title }: PostRecord): Finding =>
  problem(
    'slugs',
    `Plugins give a new draft both another slug and another title: it became “${title}” (${slug === '' ? 'without a slug' : slug}).`,
    'Galley cannot tell such a post from somebody else’s, so it holds every document instead of writing to it.',
    'Exclude drafts, or Galley’s user, from the plugin that changes titles or from the one that changes slugs: one of the two is enough. Then check again.',
  )

/** Of a look that shows what stood before. */
export const cachedReadFinding = (): Finding =>
  problem(
    'own_answers',
    'A draft that was changed is shown as it was before: something on the site caches answers of the REST API.',
    'Galley cannot see what people have changed of a post, and may write over it; or it takes its own newer text for theirs, and holds the document.',
    'Exclude /wp-json/ from what the caching plugin, the web server or the CDN keeps, then check again.',
  )

/** Slugs are how Galley finds a post again whose answer was lost. */
export function checkSlug({ draft: { slug }, crashesOnSlugs }: ProbeDraft, marker: string): Finding {
  if (slug !== marker)
    return warning(
      'slugs',
      slug === ''
        ? 'A plugin takes the slug from a draft.'
        : `A plugin changes the slug that a draft is given (it became “${slug}”).`,
      'A post whose answer is lost is found again by its title and time only, which is less certain; and documents do not get the slug they ask for.',
      'Switch off the plugin that rewrites slugs on saving (such as Regenerate Post Slug), or exclude drafts from it.',
    )
  if (crashesOnSlugs)
    return warning(
      'slugs',
      'A plugin crashes when a new draft has a slug.',
      'Drafts are created without a slug and get it afterwards: each costs the site a crash and two more requests.',
      'Nothing needs to be done. VIP Workflow is known to do this: switch it off where it is not used.',
    )
  return ok(
    'slugs',
    'A draft keeps the slug that it is given.',
    'A post whose answer is lost is found again by it.',
  )
}

/** @param title as it stands once the draft has a text; no line where it is the one that was given */
export const checkTitle = (title: string, marker: string): Finding[] =>
  isSameTitle(title, probeTitle(marker))
    ? []
    : [
        warning(
          'titles',
          `A plugin changes the title that a draft is given (it became “${title}”).`,
          'Posts get other titles than their documents, and each delivery says so.',
          'Nothing needs to be done where that is meant. Otherwise exclude Galley’s user from the plugin that changes titles.',
        ),
      ]

/**
 * Plugins for editorial workflows let posts begin in statuses of their own; others take away what they do not want.
 *
 * @param filled the same draft once it had a text; null where it was gone, undefined where nobody can tell
 */
export function checkStatus(draft: PostRecord, filled: PostRecord | null | undefined): Finding {
  if (filled === null || filled?.status === 'trash')
    return problem(
      'statuses',
      filled === null
        ? 'A draft was gone as soon as it had text: a plugin deletes it, or turns it into a post of another type.'
        : 'A draft was in the trash as soon as it had text: a plugin moves it there.',
      'Documents whose posts are removed like that are held.',
      'Find the plugin that removes posts (as duplicates, or for a word in them), and exclude Galley’s user from it.',
    )
  const { status } = filled ?? draft
  if (status === 'publish' || status === 'future')
    return problem(
      'statuses',
      `A plugin ${status === 'publish' ? 'publishes' : 'schedules'} drafts by itself.`,
      'Documents that should be drafts become public before anybody has looked at them. Galley then holds them and says so.',
      'Exclude Galley’s user from the plugin that publishes posts.',
    )
  return status === 'draft'
    ? ok('statuses', 'A draft stays a draft.', 'Posts arrive in the status that they are meant to have.')
    : warning(
        'statuses',
        `A plugin turns a draft into “${status}”.`,
        'Documents meant to be drafts arrive in that status, with a warning; those meant to be published are published.',
        'Nothing needs to be done; Edit Flow, VIP Workflow and PublishPress Statuses are known to do this.',
      )
}

/** Of a draft that stands under another type than it was made for. */
export const changedTypeFinding = (type: string): Finding =>
  problem(
    'statuses',
    `A plugin makes a draft a post of another type: it was found among “${type}”.`,
    'Documents whose posts become another type are held.',
    'Exclude Galley’s user from that plugin; or choose that post_type in the site’s settings, if documents belong there.',
  )

/** Of a draft that had its text, and has another a moment later. */
export function changedLaterFinding(content: string): Finding {
  const markup = checkSampleMarkup(content)
  if (markup.level !== 'ok') return markup
  return warning(
    'block_markup',
    'The text of a draft was changed a moment after it was saved, or is shown otherwise each time.',
    'Documents arrive, and Galley cannot tell what was done to them since from what people do: newer versions of them are held.',
    'Find the plugin that changes posts once they are saved, and exclude posts saved over the REST API from it.',
  )
}

/** @param content as it stands in the end: a plugin may change it when the answer is made already */
export function checkSampleMarkup(content: string): Finding {
  const lost = lostSampleParts(content)
  if (lost !== null) {
    return problem(
      'block_markup',
      `A draft with every kind of block was stored without ${lost}: a plugin or a filter removes it.`,
      'Documents whose text or pictures do not arrive are held.',
      'Find the plugin that changes what is saved, and exclude posts saved over the REST API from it.',
    )
  }
  if (!content.includes('<!-- wp:paragraph -->')) {
    return problem(
      'block_markup',
      'The site removes the comments that mark blocks.',
      'Posts open as one classic block, without headings and tables of their own.',
      'Find the plugin that strips comments from posts, or set this site to classic markup.',
    )
  }
  const parts = PARTS.filter(([sign]) => !content.includes(sign)).map(([, name]) => name)
  if (parts.length > 0)
    return warning(
      'block_markup',
      `A draft with every kind of block was stored without these parts of it: ${parts.join(', ')}. A plugin or a filter removes them.`,
      'Documents arrive without such parts, and each delivery says so.',
      'Find the plugin that changes what is saved, and exclude posts saved over the REST API from it.',
    )
  return ok(
    'block_markup',
    'A draft with every kind of block was stored.',
    'Nothing on the way blocks post markup.',
  )
}

/** What of the sample a site has dropped, whatever it made of the markup around it. */
function lostSampleParts(content: string): string | null {
  if (WORDS.some((word) => !content.includes(word))) return 'most of its text'
  return content.includes('<img') ? null : 'its picture'
}

/** Of the first block, of one in the middle, and of the last. */
const WORDS = ['connection', 'An item', 'SELECT name FROM users']

/** By what each of the other blocks is known, whatever became of the markup around it. */
const PARTS: readonly (readonly [sign: string, name: string])[] = [
  ['A link', 'link'],
  ['A heading', 'heading'],
  ['A cell', 'table'],
  ['A quote', 'quote'],
  ['<audio', 'audio'],
]
