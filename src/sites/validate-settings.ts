import { z } from 'zod'
import type { Issue } from '../contract/issues.ts'
import { type GalleyError, refusal } from '../errors.ts'
import { findUser, requestAuthors } from '../wordpress/authors.ts'
import { type Query, requestParsed, type WordPressClient } from '../wordpress/client/client.ts'
import { fetchCurrentUser } from '../wordpress/discover/current-user.ts'
import { boundedArray, labelSchema } from '../wordpress/fields.ts'
import { readLanguages, readPostTypes } from '../wordpress/schema.ts'
import { createDryRunTermMaker, resolveTerms } from '../wordpress/terms/resolve.ts'
import { type SiteSettingsPatch, siteSettingsSchema } from './settings.ts'
import { asCredentialError } from './verify-credentials.ts'

/** {@link compareSettings}. @throws GalleyError 422 `SETTINGS_UNFIT`, with each mismatch and what the site has instead */
export async function validateSettings(...asked: Parameters<typeof compareSettings>) {
  const { authorId, unfit } = await compareSettings(...asked)
  if (unfit !== undefined) throw unfit
  return authorId
}

/**
 * Compares requested settings with the site. Requests only what the request names.
 * @param stored the settings merged with the request's
 * @returns the id of the user that `author` names, undefined where the request does not set it; and what does not fit
 * @throws GalleyError 422 with the site's answer
 */
export async function compareSettings(
  client: WordPressClient,
  patch: SiteSettingsPatch,
  stored: SiteSettingsPatch = patch,
): Promise<{ authorId: number | null | undefined; unfit: GalleyError | undefined }> {
  const mismatches: Issue[] = []
  const authorId = await asCredentialError(async () => {
    if (patch.post_type !== undefined) mismatches.push(...(await postTypeMismatch(client, patch.post_type)))
    const ofLanguage = patch.language == null ? [] : await languageMismatch(client, patch.language)
    mismatches.push(...ofLanguage)
    // With an unknown language no category exists, and the site refuses the query.
    if (ofLanguage.length === 0)
      mismatches.push(...(await categoryMismatches(client, patch, siteSettingsSchema.parse(stored))))
    return patch.author == null ? patch.author : authorOf(client, patch.author, mismatches)
  })
  return {
    authorId,
    unfit: mismatches.length === 0 ? undefined : settingsUnfit(client.site.name, mismatches),
  }
}

const settingsUnfit = (site: string, mismatches: readonly Issue[]): GalleyError =>
  refusal(
    'SETTINGS_UNFIT',
    `These settings do not fit ${site}. ${mismatches.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`,
    422,
    mismatches,
  )

async function postTypeMismatch(client: WordPressClient, wanted: string): Promise<Issue[]> {
  const types = await readPostTypes(client)
  if (types.some(({ restBase }) => restBase === wanted)) return []
  const has = types.map(({ restBase, label }) => `${restBase} (${label})`).join(', ')
  return [{ path: 'settings.post_type', message: `there is no post type ${wanted}; this user has ${has}` }]
}

async function languageMismatch(client: WordPressClient, wanted: string): Promise<Issue[]> {
  const languages = await readLanguages(client)
  if (languages.some(({ slug }) => slug === wanted)) return []
  const has = languages.map(({ slug, name }) => `${slug} (${name})`).join(', ')
  const message =
    has === ''
      ? 'the site names no languages: Polylang is not there, or has none yet'
      : `there is no language ${wanted}; there are ${has}`
  return [{ path: 'settings.language', message }]
}

async function authorOf(client: WordPressClient, name: string, mismatches: Issue[]) {
  const user = await findUser(client, { name })
  if (user !== null && user !== 'several') return user.id
  const shown = inWords(await readAuthors(client, { per_page: NAMES_SHOWN }))
  const message =
    user === null
      ? `WordPress shows no user “${name}”; it shows ${shown}`
      : `WordPress has more than one user “${name}”: give the login name`
  mismatches.push({ path: 'settings.author', message })
  return null
}

/** The fallback category must exist; a default category must exist or be one that would be created. */
async function categoryMismatches(
  client: WordPressClient,
  { default_categories = [], fallback_category }: SiteSettingsPatch,
  { category_aliases: aliases, term_policy, language }: z.output<typeof siteSettingsSchema>,
): Promise<Issue[]> {
  const asked = [
    ...default_categories.map((name) => ({ path: 'settings.default_categories', name, policy: term_policy })),
    ...(fallback_category == null
      ? []
      : [{ path: 'settings.fallback_category', name: fallback_category, policy: 'existing_only' as const }]),
  ]
  if (asked.length === 0) return []
  const make = createDryRunTermMaker(await fetchCurrentUser(client))
  const common = { taxonomy: 'categories' as const, aliases, language: language ?? undefined }
  const missing: typeof asked = []
  for (const one of asked) {
    const policy = one.policy === 'reject' ? 'existing_only' : one.policy
    const { ids } = await resolveTerms(client, { ...common, names: [one.name], policy }, make)
    if (ids.length === 0) missing.push(one)
  }
  if (missing.length === 0) return []
  const has = inWords(await readCategories(client, { per_page: NAMES_SHOWN }))
  return missing.map(({ path, name }) => ({
    path,
    message: `there is no category “${name}” and it will not be created; available: ${has}`,
  }))
}

const NAMES_SHOWN = 20

const inWords = (names: readonly string[]): string => names.join(', ') || 'none'

const namesSchema = boundedArray(z.object({ name: labelSchema() }).transform(({ name }) => name))

async function readAuthors(client: WordPressClient, query: Query): Promise<string[]> {
  const asked = { query: { _fields: 'name', ...query }, doing: 'reading the users' }
  return (await requestAuthors(client, namesSchema, asked)).value
}

async function readCategories(client: WordPressClient, query: Query): Promise<string[]> {
  const { value } = await requestParsed(client, namesSchema, {
    path: '/wp/v2/categories',
    query: { _fields: 'name', ...query },
    doing: 'reading the categories',
    subject: 'site',
  })
  return value
}

/** Names read per kind: the maximum of a WordPress page. */
const MAX_CHOICES = 100

const namedChoice = z.object({ value: z.string(), name: z.string() })

/** The values that a site offers for its settings, by their display names. */
export const siteChoicesSchema = z
  .object({
    post_types: z.array(namedChoice).describe('`value` is that of `post_type`.'),
    authors: z
      .array(z.string())
      .describe(`Users who may write, ${MAX_CHOICES} at most, as \`author\` takes them.`),
    categories: z.array(z.string()).describe(`${MAX_CHOICES} at most, those with the most posts.`),
    languages: z
      .array(namedChoice)
      .describe('Empty where Polylang is not there. `value` is that of `language`.'),
  })
  .meta({ id: 'SiteChoices' })

type SiteChoices = z.output<typeof siteChoicesSchema>

/** Reads what a site offers for its settings. @throws GalleyError 422 with the site's answer */
export async function readChoices(client: WordPressClient): Promise<SiteChoices> {
  return asCredentialError(async () => {
    const [types, languages, authors, categories] = await Promise.all([
      readPostTypes(client),
      readLanguages(client),
      readAuthors(client, { per_page: MAX_CHOICES, orderby: 'name' }),
      readCategories(client, { per_page: MAX_CHOICES, orderby: 'count', order: 'desc' }),
    ])
    return {
      post_types: types.map(({ restBase, label }) => ({ value: restBase, name: label })),
      authors,
      categories,
      languages: languages.map(({ slug, name }) => ({ value: slug, name })),
    }
  })
}
