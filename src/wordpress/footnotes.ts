import { z } from 'zod'
import { parseJson, stripTags } from '../lib/text.ts'
import { boundedArray } from './fields.ts'
import { wordsIn } from './html.ts'

/** The meta that holds the notes of the block `core/footnotes`, registered since WordPress 6.3. */
export const FOOTNOTES = 'footnotes'

/** Far more notes than a post has. */
const MOST_NOTES = 10_000

const notesSchema = boundedArray(z.object({ id: z.string(), content: z.string() }), MOST_NOTES)

type Notes = z.output<typeof notesSchema>

/** Notes as the meta holds them; empty without any. */
export const writeFootnotes = (notes: Notes): string => (notes.length === 0 ? '' : JSON.stringify(notes))

/** The notes of a post in one spelling of their JSON, which WordPress writes anew for authors; null where none are shown. */
export function footnotesIn({ [FOOTNOTES]: written }: Record<string, unknown>): string | null {
  if (typeof written !== 'string') return null
  const notes = readFootnotes(written)
  return notes === undefined ? written : writeFootnotes(notes)
}

/** What is no JSON is no note of the block, and is kept as it is. */
const readFootnotes = (written: string): Notes | undefined => notesSchema.safeParse(parseJson(written)).data

/** Whether a post has every note that was sent, with its words. */
export function hasFootnotes(sent: string, stored: string | null): boolean {
  const there = new Map(readFootnotes(stored ?? '')?.map(({ id, content }) => [id, wordsOf(content)]))
  return (readFootnotes(sent) ?? []).every(({ id, content }) => there.get(id) === wordsOf(content))
}

/** The notes to which a merged text refers. Of one that both sides have, the site's stays where somebody has changed it. */
export function mergeFootnotes(
  content: string,
  sides: Record<'galley' | 'site' | 'next', { footnotes?: string | null }>,
): string {
  const notes = (side: keyof typeof sides) =>
    new Map(readFootnotes(sides[side].footnotes ?? '')?.map((note) => [note.id, note]))
  const [galley, site, next] = [notes('galley'), notes('site'), notes('next')]
  const referred = new Set([...content.matchAll(/data-fn="([^"]*)"/g)].map(([, id]) => id))
  const merged = [...new Set([...site.keys(), ...next.keys()])]
    .filter((id) => referred.has(id))
    .flatMap((id) => {
      const isEdited = site.get(id)?.content !== galley.get(id)?.content
      return (isEdited ? site.get(id) : undefined) ?? next.get(id) ?? site.get(id) ?? []
    })
  return writeFootnotes(merged)
}

/** Outside of tags: kses takes tags away, and writes entities anew. */
const wordsOf = (html: string): string => wordsIn(stripTags(html)).join(' ')
