import { isWireObject } from '../../blocks/wire.ts'
import { recoverWith, type Warning } from '../../errors.ts'
import { decodedSlug, slugText } from '../../lib/slug.ts'
import { comparableText, firstOf, scalarText } from '../../lib/text.ts'
import { findUser } from '../../wordpress/authors.ts'
import type { WordPressClient } from '../../wordpress/client/client.ts'
import { findPostsBySlug, getPost } from '../../wordpress/posts/find.ts'
import { possibleSlugs } from '../../wordpress/posts/slugs.ts'
import {
  noindexValues,
  type PostSchema,
  type PostType,
  readLanguages,
  readPostTypes,
  readTaxonomies,
  recallPostSchema,
  type SiteTaxonomy,
  seoKeys,
} from '../../wordpress/schema.ts'
import { applyAlias } from '../../wordpress/terms/names.ts'
import { resolveTerms } from '../../wordpress/terms/resolve.ts'
import type { PostMembers, PostRecord } from '../../wordpress/types.ts'
import { heldError } from '../holds.ts'
import { type Delivering, postUrl } from './context.ts'

type Resolving = Pick<Delivering, 'wanted' | 'site' | 'postType' | 'warnings' | 'language'> & {
  /** The names of what is left out, for the preview: `author`, `seo.title`. */
  leftOut?: string[]
}

/** What the connected user is told of the site: as it is remembered where that fits, else as it says now. */
const recall = <Result>(
  client: WordPressClient,
  what: string,
  read: (client: WordPressClient) => Promise<Result>,
  fits: (known: Result) => boolean,
): Promise<Result> =>
  client.traffic.remember(
    JSON.stringify([client.site.restRoot, client.site.username, what]),
    () => read(client),
    fits,
  )

function leaveOut(
  { warnings, leftOut }: Pick<Resolving, 'warnings' | 'leftOut'>,
  names: readonly string[],
  warning: Warning,
): void {
  warnings.push(warning)
  leftOut?.push(...names)
}

/**
 * Asks the site for what a document calls by its name. What it does not have is left out, with a warning.
 * @param resolve how names of terms become ids; the preview’s makes none
 */
export async function resolveFields(
  resolving: Resolving,
  resolve: typeof resolveTerms = resolveTerms,
): Promise<PostMembers> {
  const { author, parent, taxonomies, fields, seo } = resolving.wanted.fields
  const add = resolving.site.settings.always_add
  return {
    ...(author !== undefined && (await resolveAuthor(resolving, author))),
    ...(parent !== undefined && (await resolveParent(resolving, parent))),
    ...(await resolveTaxonomies(resolving, withAlwaysAdded(taxonomies ?? {}, add), resolve)),
    ...(seo !== undefined && (await resolveSeo(resolving, seo))),
    ...(fields !== undefined && (await resolveCustomFields(resolving, fields))),
  }
}

const withAlwaysAdded = (
  asked: Readonly<Record<string, readonly string[]>>,
  { categories: _, tags: __, ...added }: Readonly<Record<string, readonly string[]>>,
): Record<string, string[]> =>
  Object.fromEntries(
    [...new Set([...Object.keys(asked), ...Object.keys(added)])].map((name) => [
      name,
      [...new Set([...(asked[name] ?? []), ...(added[name] ?? [])])],
    ]),
  )

async function resolveAuthor(resolving: Resolving, asked: string): Promise<PostMembers> {
  const { site } = resolving
  const { client, name, settings } = site
  const called = applyAlias(asked, settings.author_aliases)
  const isEmail = called.includes('@')
  const find = (context?: 'edit') => findUser(client, { name: called, context })
  // An e-mail address may be a login, too.
  const look = async () => (isEmail && (await find('edit').catch(unlessNotShown))) || find()
  const found = await recall(client, `author ${called}`, look, (known) => known !== null).catch(
    unlessNotShown,
  )
  if (found !== null && found !== 'several') return { author: found.id }
  const instead = settings.author === null ? 'the connected user' : `“${settings.author}”`
  const why = isEmail
    ? 'WordPress names users by e-mail address only where the connected user may list users. Send the login or the display name'
    : 'Name one of its users who may write posts'
  const message =
    found === 'several'
      ? `${name} has more than one user “${called}”, so the post is by ${instead}. Send the login of the one who is meant, or translate the name in the site’s setting author_aliases.`
      : `${name} shows no user “${called}” to the connected user, so the post is by ${instead}. ${why}, or translate the name in the site’s setting author_aliases.`
  leaveOut(resolving, ['author'], { code: 'author_unknown', message })
  return {}
}

/** Who may not list users is refused their e-mail addresses; some plugins show nobody at all. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['rights_missing', 'field_refused', 'not_logged_in'])

const unlessNotShown = recoverWith(null, ({ code }) => NOT_SHOWN.has(code))

async function resolveParent(resolving: Resolving, asked: number | string): Promise<PostMembers> {
  const { site, postType } = resolving
  const found =
    typeof asked === 'number'
      ? await getPost(site.client, { postType, id: asked }).catch(unlessNotShown)
      : await findParent(resolving, asked)
  if (found && found.status !== 'trash') return { parent: found.id }
  leaveOut(resolving, ['parent'], {
    code: 'parent_unknown',
    message: `${site.name} has no “${asked}” among its ${postType}, so the post has no parent. Create it first, or set the parent in WordPress.`,
  })
  return {}
}

/** The post at this path, or with its last part as its slug. Of several the one nearest the top, and of equals the oldest. */
async function findParent(
  { site, postType, warnings }: Resolving,
  asked: string,
): Promise<PostRecord | undefined> {
  const path = pathParts(asked).map(slugText)
  const last = path.at(-1) ?? ''
  if (last === '') return undefined
  // As WordPress stores and answers other scripts.
  const slugs = spellingsOf(last).map((slug) => encodeURIComponent(slug).toLowerCase())
  const named = await findPostsBySlug(site.client, { postType, slugs })
  const found = named.map((post) => ({ post, parts: pathParts(post.link ?? '') }))
  const fitting = found
    .filter(({ parts }) => {
      const end = parts.slice(-path.length)
      return path.every((part, at) => spellingsOf(part).includes(end[at] ?? ''))
    })
    .sort((a, b) => a.parts.length - b.parts.length)
  const [best, next] = fitting.length > 0 ? fitting : found
  if (
    best !== undefined &&
    next !== undefined &&
    (fitting.length === 0 || best.parts.length === next.parts.length)
  )
    warnings.push({
      code: 'parent_ambiguous',
      message: `${site.name} has “${asked}” more than once among its ${postType}. ${postUrl(site, best.post)} was used, and not ${postUrl(site, next.post)}. Send the path or the number of the one that is meant.`,
    })
  return best?.post
}

/** A part of a path, and what WordPress may have made of its accents: `über-uns`, `ueber-uns`. */
const spellingsOf = (part: string): string[] => [...new Set([part, ...possibleSlugs(part)])]

const pathParts = (path: string): string[] =>
  decodedSlug(URL.canParse(path) ? new URL(path).pathname : path)
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .filter(Boolean)

async function resolveTaxonomies(
  resolving: Resolving,
  asked: Readonly<Record<string, string[]>>,
  resolve: typeof resolveTerms,
): Promise<PostMembers> {
  const { site, postType, warnings, language } = resolving
  if (Object.keys(asked).length === 0) return {}
  const { client, name, settings } = site
  const named = ({ slug, rest_base, name: label }: SiteTaxonomy, called: string) =>
    [slug, rest_base, label].some((one) => one.toLowerCase() === called.toLowerCase())
  const hasAll = (taxonomies: readonly SiteTaxonomy[]) =>
    Object.keys(asked).every((called) => taxonomies.some((one) => named(one, called)))
  const known = await recall(client, 'taxonomies', readTaxonomies, hasAll)
  const ofType = (schema: PostSchema | null) =>
    known.filter(({ rest_base }) => schema === null || schema.fields.includes(rest_base))
  const schema = await recallPostSchema(client, { postType }, (stored) => hasAll(ofType(stored)))
  const own = ofType(schema)
  const members: Record<string, number[]> = {}
  for (const [called, names] of Object.entries(asked)) {
    const taxonomy = own.find((one) => named(one, called))
    if (taxonomy === undefined || ['categories', 'tags'].includes(taxonomy.rest_base)) {
      const has = own.map(({ slug }) => slug)
      leaveOut(resolving, [`taxonomies.${called}`], taxonomyUnknown(name, postType, called, has))
      continue
    }
    const { ids, warnings: missing } = await resolve(client, {
      taxonomy: taxonomy.rest_base,
      isHierarchical: taxonomy.hierarchical,
      names,
      policy: settings.term_policy,
      language,
      // What is dropped is not looked for once more.
      anew: true,
    })
    members[taxonomy.rest_base] = ids
    warnings.push(...missing)
  }
  return members
}

const taxonomyUnknown = (
  site: string,
  postType: string,
  called: string,
  has: readonly string[],
): Warning => ({
  code: 'taxonomy_unknown',
  message: ['category', 'categories', 'tag', 'tags', 'post_tag'].includes(called)
    ? `taxonomies.${called} is not read: categories and tags stand in delivery.metadata beside it.`
    : `Posts of the type ${postType} on ${site} have no taxonomy “${called}” in the REST API; they have ${firstOf(has) || 'none'}. Its owner registers it with "show_in_rest" => true for that type.`,
})

/** Custom fields, held against what the site says of them before anything is sent. */
async function resolveCustomFields(resolving: Resolving, asked: Readonly<Record<string, unknown>>) {
  const { site, postType } = resolving
  const placesIn = (schema: PostSchema | null) =>
    Object.entries(asked).map(([name, value]) => {
      const path = pathOf(schema, name)
      const wrong = path === undefined ? undefined : misfit(schema?.customFields.get(path), value)
      return { name, value, path, wrong }
    })
  const schema = await recallPostSchema(site.client, { postType }, (known) =>
    placesIn(known).every(({ path, wrong }) => path !== undefined && wrong === undefined),
  )
  const members: Record<string, unknown> = {}
  for (const { name, value, path, wrong } of placesIn(schema)) {
    if (path !== undefined && wrong === undefined) members[path] = value
    else
      leaveOut(
        resolving,
        [`fields.${name}`],
        path === undefined ? fieldUnknown(site.name, postType, name) : fieldUnfit(site.name, name, wrong),
      )
  }
  return members
}

/** The keys of `meta` of whichever SEO plugin shows them in the REST API. */
export async function resolveSeo(
  resolving: Resolving,
  asked: NonNullable<Resolving['wanted']['fields']['seo']>,
): Promise<PostMembers> {
  const { site, postType } = resolving
  const keyIn = (schema: PostSchema | null, name: string) =>
    Object.values(seoKeys)
      .flatMap((keys) => keys[name] ?? [])
      .find((one) => schema?.metaFields.includes(one))
  const schema = await recallPostSchema(site.client, { postType }, (known) =>
    Object.keys(asked).every((name) => keyIn(known, name) !== undefined),
  )
  const members: Record<string, unknown> = {}
  const missing: string[] = []
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined) continue
    const key = keyIn(schema, name)
    if (key === undefined) missing.push(`seo.${name}`)
    else members[`meta.${key}`] = typeof value === 'boolean' ? noindexValue(key, value) : value
  }
  if (missing.length > 0) leaveOut(resolving, missing, seoUnavailable(site.name, missing))
  return members
}

function noindexValue(key: string, isSet: boolean): unknown {
  const [set, unset] = noindexValues[key] ?? ['1', '0']
  return isSet ? set : unset
}

function seoUnavailable(site: string, names: readonly string[]): Warning {
  const keys = Object.entries(seoKeys).flatMap(([plugin, keysOf]) => {
    const wanted = names.flatMap((name) => keysOf[name.replace('seo.', '')] ?? [])
    return wanted.length === 0 ? [] : [`${wanted.join(' and ')} (${plugin})`]
  })
  return {
    code: 'seo_unavailable',
    message: `${site} does not accept ${names.join(', ')} over its REST API, so the post goes without. Its owner can allow it with a small plugin that calls register_post_meta with "show_in_rest" => true and an "auth_callback" for ${keys.join(' or ')}.`,
  }
}

/** Where a site that does not say what it has may have it. */
function pathOf(schema: PostSchema | null, name: string): string | undefined {
  if (schema === null) return `meta.${name}`
  return [`acf.${name}`, `meta.${name}`].find((path) => schema.customFields.has(path))
}

const fieldUnknown = (site: string, postType: string, name: string): Warning => ({
  code: 'custom_field_unknown',
  message: `${site} does not show the field “${name}” of ${postType} in its REST API, so it was left out. Its owner registers it with register_post_meta and "show_in_rest" => true, or turns on “Show in REST API” for its group in Advanced Custom Fields; a field whose name begins with an underscore needs an "auth_callback" too.`,
})

const fieldUnfit = (site: string, name: string, wrong = ''): Warning => ({
  code: 'custom_field_unfit',
  message: `The field “${name}” was left out: ${site} asks that it ${wrong}.`,
})

/** What a JSON Schema of WordPress asks of a value that is not so; undefined where it fits. */
export function misfit(schema: unknown, value: unknown): string | undefined {
  if (!isWireObject(schema)) return undefined
  const types = [schema.type].flat().filter((type) => typeof type === 'string')
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return `is of the type ${types.join(' or ')}`
  if (Array.isArray(schema.enum) && !Array.isArray(value)) {
    const text = comparableText(value)
    if (!schema.enum.some((one) => comparableText(one) === text))
      return `is one of ${firstOf(schema.enum.map((one) => JSON.stringify(one)))}`
  }
  if (!Array.isArray(value)) return undefined
  const inner = value.map((one) => misfit(schema.items, one)).find((wrong) => wrong !== undefined)
  return inner === undefined ? undefined : `has entries of which each ${inner}`
}

/** As `rest_is_integer` and its like take them: numbers and booleans may be text. */
function isOfType(type: string, value: unknown): boolean {
  const isNumeric =
    value !== '' && ['number', 'string'].includes(typeof value) && !Number.isNaN(Number(value))
  const checks = {
    string: () => typeof value === 'string',
    integer: () => isNumeric && Number.isInteger(Number(value)),
    number: () => isNumeric,
    boolean: () => typeof value === 'boolean' || ['0', '1', 'true', 'false'].includes(scalarText(value)),
    array: () => Array.isArray(value),
    object: () => isWireObject(value),
    null: () => value === null,
  }
  return Object.hasOwn(checks, type) ? checks[type as keyof typeof checks]() : true
}

/** The REST base of the type that the document names. @throws GalleyError held where the site has none, or does not show it */
export async function resolvePostType({ site, wanted }: Pick<Delivering, 'site' | 'wanted'>) {
  const { post_type } = wanted.fields
  if (post_type === undefined) return site.settings.post_type
  const { client } = site
  const typeIn = (known: readonly PostType[]) =>
    known.find(({ name, restBase }) => [name, restBase].includes(post_type))
  const types = await recall(client, 'types', readPostTypes, (known) => typeIn(known) !== undefined)
  const found = typeIn(types)
  if (found) return found.restBase
  const has = firstOf(types.map(({ name }) => name))
  throw heldError(
    'post_type_unknown',
    `${site.name} has no post type “${post_type}” that the connected user may edit over the REST API, so nothing was published; it has ${has}. Send the document again with one of these, or have the type registered with "show_in_rest" => true and retry this delivery.`,
  )
}

/** The language of the document, where the site has it; else that of the site's settings, with a warning. */
export async function resolveLanguage(
  resolving: Pick<Resolving, 'site' | 'wanted' | 'warnings' | 'leftOut'>,
): Promise<string | undefined> {
  const { site, wanted } = resolving
  const { client, settings, name } = site
  const { language } = wanted.fields
  const otherwise = settings.language ?? undefined
  if (language === undefined) return otherwise
  const codeIn = (known: readonly { slug: string }[]) =>
    known.find(({ slug }) => slug.toLowerCase() === language.toLowerCase())
  const languages = await recall(client, 'languages', readLanguages, (known) => codeIn(known) !== undefined)
  const found = codeIn(languages)
  if (found) return found.slug
  const has = languages.map(({ slug }) => slug).join(', ')
  leaveOut(resolving, ['language'], {
    code: 'language_unavailable',
    message: `The post on ${name} is not in the language “${language}”: ${has === '' ? 'the site names no languages over the REST API, as Polylang does' : `it has ${has}`}.`,
  })
  return otherwise
}
