import { z } from 'zod'
import { recoverWith, type Warning } from '../../errors.ts'
import { decodedSlug, slugText } from '../../lib/slug.ts'
import { type Query, requestParsed, type WordPressClient } from '../client/client.ts'
import type { FailureCode } from '../failures/catalogue.ts'
import { judge } from '../failures/judge.ts'
import { boundedArray, keywordSchema, longTextSchema, webUrlSchema } from '../fields.ts'
import { CORE_STATUSES, SLUGS_PER_PAGE } from '../markers.ts'
import { addressPrefix } from '../records.ts'
import { type PostType, readPostTypes } from '../schema.ts'
import type { PostRoute } from './find.ts'

/** Bytes of a slug as WordPress stores it. */
const storedLength = (slug: string): number => encodeURIComponent(slug).length

/** Bytes that WordPress keeps of a slug (`post_name`). */
const MAX_SLUG_BYTES = 200

export const isSameSlug = (asked: string, stored: string): boolean => readable(asked) === readable(stored)

/** Whether a stored slug is the beginning of the one that was asked for, which is longer than WordPress keeps. */
export const isShortenedSlug = (asked: string, stored: string): boolean =>
  stored !== '' && storedLength(asked) > MAX_SLUG_BYTES && readable(asked).startsWith(readable(stored))

const readable = (slug: string): string => decodedSlug(slug).normalize('NFC').toLowerCase()

/** Another type of post whose addresses lie beside those of the own type. */
interface NeighbourType {
  restBase: string
  /** Asks for drafts too, which take an address away as well, where this user may see them. */
  query: Query
}

/** What may take an address away from a post of one type. */
interface AddressRules {
  /** The path before the slug; null where nothing else has addresses there. */
  prefix: string | null
  neighbours: NeighbourType[]
  /** Slugs that lead elsewhere without a post that has them. */
  reserved: ReadonlySet<string>
}

/** Addresses at the root of a site that the web server or WordPress answers before it looks for a post. */
const ROOT_ADDRESSES = 'wp-admin wp-content wp-includes comments search author page category tag'.split(' ')

/** Addresses anywhere that WordPress reads as a feed, an embed, or a page of a list (`WP_Rewrite`). */
const LIST_ADDRESS = /^(feed|rdf|rss2?|atom|embed|(page|comment-page-)\d+)$/

/** Whether WordPress answers this part of an address itself. @param atRoot it is the first one */
export const isReservedSlug = (slug: string, atRoot: boolean): boolean =>
  LIST_ADDRESS.test(slug) || (atRoot && [...ROOT_ADDRESSES, 'wp-json'].includes(slug))

interface ReachableSlug {
  slug: string
  warnings: Warning[]
}

/** Under which address posts of a type lie, as the first of them showed that was made in a while. */
type AddressOfType = Pick<AddressRules, 'prefix'>

const addressKey = ({ site }: WordPressClient, postType: string): string =>
  JSON.stringify([site.restRoot, 'address', site.username, postType])

/** As {@link reachableSlug} while the post is still being made; null where nobody knows yet where it will lie. */
export async function expectedSlug(
  client: WordPressClient,
  { postType }: PostRoute,
  slug: string,
): Promise<(AddressOfType & { reachable: ReachableSlug }) | null> {
  const address = client.traffic.recall<AddressOfType>(addressKey(client, postType))
  if (address === undefined) return null
  return { ...address, reachable: await reachableSlug(client, { postType, ...address }, slug) }
}

/** The slug, numbered where its address is another public type's or reserved: WordPress numbers slugs of one type only. */
export async function reachableSlug(
  client: WordPressClient,
  { postType, prefix }: PostRoute & AddressOfType,
  slug: string,
): Promise<ReachableSlug> {
  const { restRoot, username } = client.site
  const rules = await client.traffic.remember(
    JSON.stringify([restRoot, 'addresses', username, postType, prefix]),
    () => readAddressRules(client, postType, prefix),
  )
  await client.traffic.remember<AddressOfType>(addressKey(client, postType), async () => ({ prefix }))
  const isReserved = LIST_ADDRESS.test(slug) || rules.reserved.has(slug)
  const taken = isReserved ? undefined : await findTaken(client, rules, slug)
  if (!isReserved && taken === undefined) return { slug, warnings: [] }
  // As WordPress has transliterated it.
  const base = decodedSlug(taken ?? slug)
  const numbered = NUMBERS.map((number) => withNumber(base, number))
  const alsoTaken = await slugsBeside(client, rules, numbered)
  const free =
    numbered.find((one) => !alsoTaken.some((other) => isSameSlug(one, other))) ?? withNumber(base, 10)
  const why = isReserved
    ? `WordPress keeps the address “${base}” for itself`
    : `The address “${base}” leads to a page, a category or another kind of post on ${client.site.name}`
  const message = `${why}, so the slug of this post is “${free}”.`
  return { slug: free, warnings: [{ code: 'slug_taken', message }] }
}

const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9]

/** As `_truncate_post_slug`: the number has to fit. */
function withNumber(slug: string, number: number): string {
  const characters = [...slug]
  while (storedLength(`${characters.join('')}-${number}`) > MAX_SLUG_BYTES) characters.pop()
  return `${characters.join('')}-${number}`
}

async function readAddressRules(
  client: WordPressClient,
  postType: string,
  prefix: string | null,
): Promise<AddressRules> {
  // A date in the address parts it from those of pages.
  if (prefix === null || /\/\d+\//.test(prefix)) return { prefix: null, neighbours: [], reserved: new Set() }
  // Whatever this user may do with them. Files are not among them: WordPress finds posts first.
  const types = (await nullIfRefused(readPostTypes(client, 'view'))) ?? []
  const others = types.filter(({ restBase }) => restBase !== postType)
  const isAtRoot = prefix === rootOf(client)
  const [ofTypes, ofTerms] = await Promise.all([
    Promise.all(others.map((type) => readNeighbour(client, prefix, type))),
    Promise.all(isAtRoot ? ['categories', 'tags'].map((base) => readTermAddress(client, base)) : []),
  ])
  const archives = types.map(({ archive }) => archive)
  return {
    prefix,
    neighbours: [
      ...ofTypes.filter((neighbour) => neighbour !== null),
      // SEO plugins have categories without a base, beside posts, and lists of them before posts.
      ...ofTerms.filter((term) => term.prefix === prefix).map(({ restBase }) => ({ restBase, query: {} })),
    ],
    reserved: new Set(
      isAtRoot ? [...ROOT_ADDRESSES, ...firstParts(client, prefix, ofTerms), ...archives] : [],
    ),
  }
}

/** The path at which the addresses of a site begin. */
function rootOf({ site: { restRoot } }: WordPressClient): string | null {
  const { pathname, search } = new URL(restRoot)
  return search === '' ? addressPrefix(restRoot) : pathname
}

/** With the path before the slug of a term without a parent; null where there is none. */
async function readTermAddress(client: WordPressClient, restBase: string) {
  const found = await readAddresses(client, restBase, { parent: 0, per_page: 1 })
  return { restBase, prefix: found?.[0]?.prefix ?? null }
}

/** The first parts of the addresses of the REST API, categories and tags. */
const firstParts = ({ site }: WordPressClient, root: string, terms: readonly { prefix: string | null }[]) =>
  [new URL(site.restRoot).pathname, ...terms.map(({ prefix }) => prefix ?? '')].map(
    (path) => path.slice(root.length).split('/')[0] ?? '',
  )

const DRAFTS_TOO = CORE_STATUSES.join()

/** Null where the addresses of this type begin in another way, or it has no post. */
async function readNeighbour(
  client: WordPressClient,
  prefix: string,
  { restBase, isHierarchical }: PostType,
): Promise<NeighbourType | null> {
  for (const query of [{ context: 'edit', status: DRAFTS_TOO }, {}]) {
    const found = await readAddresses(client, restBase, { ...query, per_page: 1 })
    if (found !== null)
      return isHierarchical || found.some((one) => one.prefix === prefix) ? { restBase, query } : null
  }
  return null
}

/** The slug beside which this one has no address of its own, as WordPress has it. */
function findTaken(client: WordPressClient, rules: AddressRules, slug: string): Promise<string | undefined> {
  const name = `addresses under ${rules.prefix} of ${rules.neighbours.map(({ restBase }) => restBase).join()}`
  return client.traffic.gather(name, slug, async (all) => {
    const spellings = all.map(possibleSlugs)
    const found = await slugsBeside(client, rules, spellings.flat())
    return spellings.map((own) => found.find((other) => own.some((one) => isSameSlug(one, other))))
  })
}

async function slugsBeside(
  client: WordPressClient,
  { prefix, neighbours }: AddressRules,
  slugs: readonly string[],
): Promise<string[]> {
  const found = await Promise.all(
    neighbours.map(({ restBase, query }) =>
      readAddresses(client, restBase, { ...query, slug: slugs.join(), per_page: SLUGS_PER_PAGE }),
    ),
  )
  return found.flatMap((posts) =>
    (posts ?? []).filter((post) => post.prefix === prefix).map(({ slug }) => slug),
  )
}

const addressSchema = z
  .object({
    slug: keywordSchema(600),
    link: webUrlSchema.nullable().catch(null),
    permalink_template: longTextSchema.optional().catch(undefined),
  })
  .transform(({ slug, link, permalink_template }) => ({
    slug,
    prefix: addressPrefix(permalink_template ?? link),
  }))

const addressesSchema = boundedArray(addressSchema)

/** What `remove_accents` makes of letters in the languages where it differs: any other, German, Danish, Serbian and Bosnian. */
const LANGUAGES: readonly Readonly<Record<string, string>>[] = [
  {},
  { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' },
  { æ: 'ae', ø: 'oe', å: 'aa' },
  { đ: 'dj' },
]

/** Letters that no accent makes, in any language. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 's', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', þ: 'th', ð: 'd', ı: 'i', ħ: 'h', ŋ: 'n', ŧ: 't' },
  ...{ '€': 'e', '£': '', '×': 'x' },
}

/** Slugs that WordPress may make of a text, by a language that it shows to administrators alone. */
export function possibleSlugs(text: string): string[] {
  const lower = text.toLowerCase().normalize('NFC')
  const slugs = LANGUAGES.map((letters) =>
    slugText(
      lower
        .replace(/l·l/g, 'll')
        .replace(/[^\0-\x7f]/gu, (letter) => letters[letter] ?? LETTERS[letter] ?? letter)
        .normalize('NFD')
        .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
        .normalize('NFC')
        .replace(/[\p{Pd}\p{Zs}]+/gu, '-')
        .replace(/[\p{Pi}\p{Pf}\p{Cf}„…©®°™´¡¿•]+/gu, ''),
    ),
  )
  return [...new Set(slugs)]
}

/** Slugs and where their addresses begin; null where the site refuses this question. */
const readAddresses = (
  client: WordPressClient,
  route: string,
  query: Query,
): Promise<z.output<typeof addressSchema>[] | null> =>
  nullIfRefused(
    requestParsed(client, addressesSchema, {
      path: `/wp/v2/${route}`,
      query: { ...query, _fields: 'slug,link,permalink_template' },
      doing: 'looking whose address a slug is',
      subject: 'post',
    }).then(({ value }) => value),
  )

const REFUSALS: ReadonlySet<string> = new Set<FailureCode>(['rights_missing', 'setting_refused'])

/** A site that refuses this question may take the post all the same. */
const nullIfRefused = <Item>(asked: Promise<Item[]>): Promise<Item[] | null> =>
  asked.catch(recoverWith(null, (failure) => REFUSALS.has(failure.code) || judge(failure).ofRequest))
