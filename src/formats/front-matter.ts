import { parse } from 'yaml'
import { z } from 'zod'
import { membersOf } from '../blocks/wire.ts'
import { findEmbargoInFrontMatter } from '../contract/embargo.ts'
import { excerpt } from '../lib/text.ts'
import { firstText, type Members } from './foreign.ts'
import { type ForeignDocument, type FormatWarnings, readMeta } from './format.ts'

const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** Hugo's other form. */
const tomlFrontMatter = /^\uFEFF?\+\+\+[ \t]*\r?\n[\s\S]*?\r?\n\+\+\+[ \t]*(?:\r?\n|$)/

/** Characters; a longer one is text that begins with a line. */
const MAX_LENGTH = 100_000

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const list = z.union([text.transform((value) => value.split(',').map((name) => name.trim())), z.array(text)])

/** An address, or an object with it. */
function pictureOf(value: unknown): { url: string; alt?: string } | string | undefined {
  if (typeof value === 'string') return value
  const { alt, ...picture } = membersOf(value)
  const url = firstText(picture, ['url', 'src', 'image'])
  return url === '' ? undefined : { url, ...(typeof alt === 'string' && { alt }) }
}

/** The value of a YAML text, or why it has none: `title: *Tides*` names an anchor that is not there. */
function parseYaml(yaml: string): unknown {
  try {
    return parse(yaml, { strict: false, uniqueKeys: false, logLevel: 'error' }) ?? {}
  } catch (error) {
    return error
  }
}

/**
 * Takes the front matter from the beginning of a text, as Jekyll, Hugo and Astro write it.
 * @param warnings names what is in it and not used
 */
export function readFrontMatter(
  written: string,
  warnings: FormatWarnings,
): { meta: NonNullable<ForeignDocument['meta']>; body: string } {
  const toml = tomlFrontMatter.exec(written)
  if (toml) {
    warnings.leftOut(
      'The front matter is in TOML, which is not read. Write it in YAML, between lines of ---.',
    )
    return { meta: {}, body: written.slice(toml[0].length) }
  }
  const found = frontMatter.exec(written)
  if (found === null || found[0].length > MAX_LENGTH) return { meta: {}, body: written }
  const body = written.slice(found[0].length)
  const members = parseYaml(found[1] ?? '')
  if (members instanceof Error) {
    warnings.leftOut(`The front matter is no YAML and is left out: ${excerpt(members.message, 200)}`)
    return { meta: {}, body }
  }
  // Text between two lines, and no front matter.
  if (members === null || typeof members !== 'object' || Array.isArray(members))
    return { meta: {}, body: written }
  const { meta, read } = readMeta(members as Members, {
    words: (value) => text.safeParse(value).data,
    picture: pictureOf,
    terms: (value) => list.safeParse(value).data,
  })
  const embargo = findEmbargoInFrontMatter(members as Members, new Date())
  if (embargo !== undefined) {
    const member = excerpt(embargo, 60)
    const message = `“${member}” of the front matter seems to say that the document is not to be public yet, and Galley does not read it. The time of publication belongs in delivery.metadata.publish_at, as 2030-01-31T09:30:00+01:00.`
    warnings.add('embargo_unread', message)
  }
  const others = Object.keys(members).filter((name) => !read.has(name))
  if (others.length > 0)
    warnings.note(`Members of the front matter are not used: ${excerpt(others.join(', '), 300)}.`)
  return { meta, body }
}
