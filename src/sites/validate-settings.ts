import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { type Query, read, type WordPressClient } from '../wordpress/client/index.ts'
import { whoAmI } from '../wordpress/discover/index.ts'
import { label, listOf } from '../wordpress/fields.ts'
import { readLanguages } from '../wordpress/languages/index.ts'
import { readPostTypes } from '../wordpress/schema/index.ts'
import { planningMaker, resolveTerms } from '../wordpress/terms/index.ts'
import { findUser } from '../wordpress/users/index.ts'
import { type SiteSettingsPatch, siteSettingsSchema } from './settings.ts'
import { asRefusal } from './verify-credentials.ts'

interface Mismatch {
  /** As in the request: `settings.post_type`. */
  path: string
  message: string
}

/** What was learned on the way: the user that `author` names, undefined where the request does not touch it. */
export interface ValidatedSettings {
  authorId: number | null | undefined
}

/**
 * Holds the settings of a request against what the site really has. Only what the request names is asked for.
 *
 * @param stored the settings as they will be with the request's
 * @throws GalleyError 422 `SETTINGS_UNFIT`, with each mismatch and what the site has instead
 */
export async function validateSettings(
  client: WordPressClient,
  patch: SiteSettingsPatch,
  stored: SiteSettingsPatch = patch,
): Promise<ValidatedSettings> {
  const mismatches: Mismatch[] = []
  const author = await asRefusal(async () => {
    if (patch.post_type !== undefined) mismatches.push(...(await postTypeMismatch(client, patch.post_type)))
    const ofLanguage = patch.language == null ? [] : await languageMismatch(client, patch.language)
    mismatches.push(...ofLanguage)
    // In a language that is not there, no category is either, and the site refuses to look.
    if (ofLanguage.length === 0)
      mismatches.push(...(await categoryMismatches(client, patch, siteSettingsSchema.parse(stored))))
    return patch.author == null ? patch.author : authorOf(client, patch.author, mismatches)
  })
  if (mismatches.length > 0) throw mismatchError(client.site.name, mismatches)
  return { authorId: author }
}

async function postTypeMismatch(client: WordPressClient, wanted: string): Promise<Mismatch[]> {
  const types = await readPostTypes(client)
  if (types.some(({ restBase }) => restBase === wanted)) return []
  const has = types.map(({ restBase, label }) => `${restBase} (${label})`).join(', ')
  return [{ path: 'settings.post_type', message: `there is no post type ${wanted}; this user has ${has}` }]
}

async function languageMismatch(client: WordPressClient, wanted: string): Promise<Mismatch[]> {
  const languages = await readLanguages(client)
  if (languages.some(({ slug }) => slug === wanted)) return []
  const has = languages.map(({ slug, name }) => `${slug} (${name})`).join(', ')
  const message =
    has === ''
      ? 'the site names no languages: Polylang is not there, or has none yet'
      : `there is no language ${wanted}; there are ${has}`
  return [{ path: 'settings.language', message }]
}

async function authorOf(
  client: WordPressClient,
  name: string,
  mismatches: Mismatch[],
): Promise<number | null> {
  const user = await findUser(client, { name })
  if (user !== null) return user.id
  const shown = await shownNames(client, '/wp/v2/users', 'reading the users', { who: 'authors' })
  mismatches.push({
    path: 'settings.author',
    message: `WordPress shows no user “${name}”; it shows ${shown}`,
  })
  return null
}

/** The fallback must be there; a default category must be there or be one that would be made. */
async function categoryMismatches(
  client: WordPressClient,
  { default_categories = [], fallback_category }: SiteSettingsPatch,
  { category_aliases: aliases, term_policy, language }: z.output<typeof siteSettingsSchema>,
): Promise<Mismatch[]> {
  const asked = [
    ...default_categories.map((name) => ({ path: 'settings.default_categories', name, policy: term_policy })),
    ...(fallback_category == null
      ? []
      : [{ path: 'settings.fallback_category', name: fallback_category, policy: 'existing_only' as const }]),
  ]
  if (asked.length === 0) return []
  const make = planningMaker(await whoAmI(client))
  const mismatches: Mismatch[] = []
  for (const { path, name, policy } of asked) {
    const request = {
      taxonomy: 'categories' as const,
      names: [name],
      aliases,
      language: language ?? undefined,
    }
    const lenient = policy === 'reject' ? 'existing_only' : policy
    const { ids } = await resolveTerms(client, { ...request, policy: lenient }, make)
    if (ids.length > 0) continue
    const has = await shownNames(client, '/wp/v2/categories', 'reading the categories')
    mismatches.push({
      path,
      message: `there is no category “${name}” and it will not be created; available: ${has}`,
    })
  }
  return mismatches
}

const NAMES_SHOWN = 20

async function shownNames(
  client: WordPressClient,
  path: string,
  doing: string,
  only: Query = {},
): Promise<string> {
  const query = { per_page: NAMES_SHOWN, _fields: 'name', ...only }
  const { value } = await read(client, listOf(z.object({ name: label() })), {
    path,
    query,
    doing,
    subject: 'site',
  })
  return value.map(({ name }) => name).join(', ') || 'none'
}

const mismatchError = (site: string, details: Mismatch[]) =>
  new GalleyError({
    code: 'SETTINGS_UNFIT',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `These settings do not fit ${site}; nothing was changed. ${details.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`,
    details,
  })
