import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { findTags } from '../../html.ts'
import { readLanguages } from '../../languages.ts'
import { type Finding, findingFromFailure, ok, warning } from '../report.ts'

const NAMESPACE = 'pll/v1'
const WPML = 'wpml/v1'

interface LanguageCheckInput {
  /** Of the REST API; empty where it shows its index to nobody. */
  namespaces: readonly string[]
  /** As the site's settings name it; null where they name none. */
  language: string | null
  /** Markup of its first page, as visitors see it; null where they do not. */
  frontPage: string | null
}

/** Whether documents come in the language they are in; no line on a site of one language. */
export async function checkLanguages(
  client: WordPressClient,
  { namespaces, language, frontPage }: LanguageCheckInput,
): Promise<Finding[]> {
  if (namespaces.includes(WPML) && !namespaces.includes(NAMESPACE)) return [wpmlFinding()]
  if (namespaces.length > 0 && !namespaces.includes(NAMESPACE) && language === null)
    return noApiFindings(frontPage)
  try {
    const languages = await readLanguages(client)
    if (languages.length < 2 && language === null) return noApiFindings(frontPage)
    const known = languages.map(({ slug, name }) => `${slug} (${name})`).join(', ') || 'none'
    const named = languages.find(({ slug }) => slug === language)
    if (named !== undefined)
      return [
        ok('language', `Documents are in ${named.name} (${named.slug}).`, 'They get terms of that language.'),
      ]
    if (language !== null)
      return [
        warning(
          'language',
          `The settings name the language ${language}, which the site does not have: it has ${known}.`,
          'Posts are created in the site’s default language, with its terms.',
          'Set “language” in the site’s settings to one of these, or to null.',
        ),
      ]
    const main = languages.find(({ isDefault }) => isDefault)
    return [
      warning(
        'language',
        `Polylang has several languages here, ${known}, and the settings name none.`,
        `Posts are created in ${main?.name ?? 'the default language'}, and a category or tag of another language is exchanged for its translation.`,
        'Set “language” in the site’s settings to that of the documents.',
      ),
    ]
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return [
      findingFromFailure(
        'language',
        error,
        'Posts may be filed under a different language from that of their text.',
        'warning',
      ),
    ]
  }
}

/** Languages read out in a sentence. */
const MAX_LISTED_LANGUAGES = 20

/** Of a site that tells of its languages in the heads of its pages alone. */
function noApiFindings(frontPage: string | null): Finding[] {
  if (frontPage === null) return [namespacesHiddenFinding()]
  const named = findTags(frontPage, ['link'])
    .filter(({ attributes }) => attributes.get('rel')?.toLowerCase() === 'alternate')
    .map(({ attributes }) => attributes.get('hreflang') ?? '')
    .filter((language) => /^[a-z]{2,3}(?:-[a-z0-9]{2,8})?$/i.test(language))
  const languages = [...new Set(named)].slice(0, MAX_LISTED_LANGUAGES)
  if (languages.length < 2) return []
  return [
    warning(
      'language',
      `The first page of the site is there in several languages (${languages.join(', ')}), of which nothing is told over the REST API.`,
      'Where posts have a language each, documents are created in the site’s default one, with its categories and tags.',
      'If Polylang does this, update it to 3.7 or newer and set “language” in the site’s settings. If pages are translated as they are shown (TranslatePress, Weglot), nothing needs to be done.',
    ),
  ]
}

const namespacesHiddenFinding = (): Finding =>
  ok(
    'language',
    'Galley cannot tell whether the site has several languages: its REST API names none, and visitors are not shown its first page.',
    'If it has several, documents are created in its default one, with the categories and tags of that language.',
  )

const wpmlFinding = (): Finding =>
  warning(
    'language',
    'WPML keeps posts in several languages here, and Galley cannot choose among them.',
    'Posts are created in the site’s default language, with categories and tags of that language.',
    'Send this site documents in its default language alone, or set the language of each post in WordPress.',
  )
