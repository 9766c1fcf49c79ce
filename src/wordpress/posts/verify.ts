import type { Warning } from '../../errors.ts'
import { decodedSlug } from '../../lib/slug.ts'
import { excerpt } from '../../lib/text.ts'
import type { WarningCode } from '../../warnings.ts'
import { bylinePlugins } from '../authors.ts'
import { wordsIn } from '../html.ts'
import type { PostFields, PostRecord } from '../types.ts'
import { isSameSlug, isShortenedSlug } from './slugs.ts'

type Check<Field extends keyof PostFields> = (
  asked: NonNullable<PostFields[Field]>,
  answer: PostRecord,
) => Warning | null

/** Left alone: text is rewritten by kses and by filters without loss of meaning; what is lost of it is counted. Members are named by their fields. */
type ComparedField = Exclude<keyof PostFields, 'content' | 'excerpt' | 'footnotes' | 'members'>

const checks: { [Field in ComparedField]: Check<Field> } = {
  title: (asked, { title, lacks }) =>
    lacks.includes('title') || wordsOf(asked) === wordsOf(title)
      ? null
      : warning(
          'title_changed',
          `The title was to be “${excerpt(asked, 200)}”, and WordPress made it “${excerpt(title, 200)}”: a plugin rewrites titles.`,
        ),
  status: (asked, { status }) => {
    // One that becomes public before its time is held (delivery/steps/verify.ts).
    if (asked === status || (asked === 'future' && status === 'publish')) return null
    if (asked === 'publish' && status === 'future')
      return warning(
        'scheduled',
        'The post should have been published now, but WordPress scheduled it: a plugin spreads posts over time, or somebody set its date. It appears by itself then.',
      )
    return statusChangedWarning(asked, status)
  },
  slug: (asked, { id, slug, status }) => {
    // Of none, WordPress makes one of the title; the marker goes.
    if (isSameSlug(asked, slug) || (asked === '' && !slug.startsWith('galley-'))) return null
    if (isShortenedSlug(asked, slug))
      return warning(
        'slug_shortened',
        `The slug “${asked}” is longer than the 200 bytes that WordPress keeps of one, in which other letters than A to Z count six or more. The post has its beginning, “${decodedSlug(slug)}”.`,
      )
    // WordPress takes the slug from a contributor's pending post and makes one on publishing.
    if (slug === '' && status === 'pending') {
      return warning(
        'slug_dropped',
        `WordPress keeps no slug on this pending post; set “${asked}” on publishing.`,
      )
    }
    if (slug === '')
      return warning(
        'slug_dropped',
        `The slug was to be “${asked}”, and this post has none: a plugin takes slugs away. Set it in WordPress.`,
      )
    // As WordPress makes one its own that is taken, or that leads elsewhere.
    const number = /-(\d+)$/.exec(slug)?.[1]
    if (number !== undefined && number !== String(id) && isSameSlug(`${asked}-${number}`, slug))
      return warning(
        'slug_changed',
        `The slug “${asked}” was taken or is not allowed; WordPress chose “${decodedSlug(slug)}”.`,
      )
    return warning(
      'slug_changed',
      `The slug was to be “${asked}”, and the post has “${decodedSlug(slug)}”: WordPress writes this one in another way, or a plugin rewrites slugs.`,
    )
  },
  categories: (asked, { categories }) => missingWarning('categories_dropped', 'category', asked, categories),
  tags: (asked, { tags }) => missingWarning('tags_dropped', 'tag', asked, tags),
  featuredMedia: (asked, { featuredMedia }) =>
    asked === featuredMedia
      ? null
      : warning('featured_image_dropped', `WordPress did not set the featured image (media ${asked}).`),
  author: (asked, { author }) => {
    if (asked === author) return null
    // A type that has no authors, as most that plugins make, answers none.
    return warning(
      'author_changed',
      `The author was to be user ${asked}, ${author === 0 ? 'and posts of this type have no author' : `and WordPress kept user ${author}`}.`,
    )
  },
  byline: (asked, { byline }) =>
    byline !== null && same(byline, asked)
      ? null
      : warning(
          'byline_changed',
          `Readers see another author than the site's settings name: ${bylinePlugins[asked.field].name} keeps the byline, and left it as it was. Set it in WordPress.`,
        ),
  meta: (asked, { meta }) => {
    const dropped = Object.keys(asked).filter((key) => !same(asked[key], meta[key]))
    return dropped.length === 0
      ? null
      : warning(
          'meta_dropped',
          `WordPress did not store ${dropped.join(', ')}: the field is not registered there.`,
        )
  },
}

/** WordPress drops unknown terms, a bad featured image and unregistered meta without a word. */
export function verifyFill(fields: PostFields, answer: PostRecord): Warning[] {
  const run = <Field extends ComparedField>(field: Field): Warning | null => {
    const asked = fields[field]
    return asked === undefined ? null : checks[field](asked as NonNullable<PostFields[Field]>, answer)
  }
  return (Object.keys(checks) as ComparedField[]).map(run).filter((found) => found !== null)
}

const wordsOf = (text: string): string => wordsIn(text).join(' ')

export const statusChangedWarning = (asked: string, status: string): Warning =>
  warning(
    'status_changed',
    `The post was to be “${asked}”, and WordPress made it “${status}”: a plugin decides about statuses. Exclude Galley’s posts from it if that is not meant.`,
  )

const warning = (code: WarningCode, message: string): Warning => ({ code, message })

function missingWarning(code: WarningCode, kind: string, asked: number[], answered: number[]) {
  const dropped = asked.filter((id) => !answered.includes(id))
  return dropped.length === 0
    ? null
    : warning(code, `WordPress did not set the ${kind} with id ${dropped.join(', ')}.`)
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
