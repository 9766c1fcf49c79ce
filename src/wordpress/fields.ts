import { decodeHTML } from 'entities'
import { z } from 'zod'

/** Schemas of a site's answers, a stranger's words: text is cleaned, and what names a thing is refused where it cannot be one. */

/** As PostgreSQL and JSON take it: no NUL, no half of a surrogate pair. Cleaned here, so that what is compared is what is stored. */
export const stripUnstorable = (text: string): string =>
  Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD')

const CONTROLS = /\p{Cc}+/gu

/** A line that people read, cut where it is too long for one. */
export const truncateLine = (text: string, most: number): string =>
  stripUnstorable(text.slice(0, most)).replace(CONTROLS, ' ').trim()

/** Characters of a name in which entities are looked for. */
const LONGEST_NAME = 2000

/** A name that WordPress answers escaped, as people read it: `T &amp; co` is “T & co”. */
export const decodedNameSchema = z
  .string()
  .transform((text) => stripUnstorable(decodeHTML(text.slice(0, LONGEST_NAME))))

/** How WordPress has such a name in its database, which is what `search` looks through (`_wp_specialchars`). */
export const storedName = (name: string): string =>
  name.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** The name of a user, a site or the like, which is shown: cleaned, and cut rather than refused. */
export const labelSchema = (most = 200) => decodedNameSchema.transform((text) => truncateLine(text, most))

/** A word of WordPress's own, as a status or a slug. One that is longer than any of its kind is another thing. */
export const keywordSchema = (most = 200) => z.string().max(most).transform(stripUnstorable)

/** A text of a post; how long an answer may be is the outbound guard's to say. */
export const longTextSchema = z.string().transform(stripUnstorable)

/** As it is stored: `raw` is there in `context=edit` alone; a post type without the feature leaves the whole field out. */
export const rawTextSchema = z.object({ raw: longTextSchema }).transform(({ raw }) => raw)

/** The largest number that the columns for ids take (`int`), and far above what any site has reached. */
const MOST = 2_147_483_647

export const idSchema = z.int().min(1).max(MOST)

/** An id where 0 stands for nothing. */
export const idOrZeroSchema = z.int().min(0).max(MOST)

/** A list of so many at most, counted first: the mistakes of a hundred thousand members take seconds. */
export const boundedArray = <Item extends z.ZodType>(item: Item, most = 1000) =>
  z.array(z.unknown()).max(most).pipe(z.array(item))

/** The same of what a plugin may have taken one out of: PHP writes such a list as an object. */
export const phpListSchema = <Item extends z.ZodType>(item: Item, most?: number) =>
  z.preprocess(
    (list) => (typeof list === 'object' && list !== null ? Object.values(list) : list),
    boundedArray(item, most),
  )

/** Ids of terms; no post has as many as this. */
export const idListSchema = phpListSchema(idSchema, 10_000)

const LONGEST_ADDRESS = 2000

/** Whether a text is an http or https address without a name and password in it. */
export function isHttpUrl(text: string): boolean {
  if (text.length > LONGEST_ADDRESS || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** An address of the web as a browser writes it, which holds no character that needs escaping. */
export const webUrlSchema = z
  .string()
  .refine(isHttpUrl, 'is not an http or https address')
  .transform((text) => new URL(text).href)

/** The same, or one without its host, which some plugins take away: it is found on the site that says it (`onSite`). */
export const siteUrlSchema = webUrlSchema.or(
  z
    .string()
    .refine(
      (text) => isHttpUrl(resolveOnSite(text, 'http://site.example/')),
      'is not an http or https address',
    ),
)

/** An address that begins with a slash, completed by that of the site; any other as it is. */
export const resolveOnSite = (address: string, root: string): string =>
  address.startsWith('/') && URL.canParse(address, root) ? new URL(address, root).href : address

/** An object with at most so many members, of which those that are not as they should be are left out. */
export const boundedRecord = <Value extends z.ZodType>(value: Value, most: number) =>
  z.record(z.string(), z.unknown()).transform((members) =>
    Object.entries(members)
      .slice(0, most)
      .flatMap(([name, member]): [string, z.output<Value>][] => {
        const read = value.safeParse(member)
        return read.success ? [[stripUnstorable(name), read.data]] : []
      }),
  )
