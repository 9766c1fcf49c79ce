import { v7 as uuid } from 'uuid'
import { asFailure, type GalleyError } from '../../errors.ts'
import { excerpt, withoutTrailingSlash } from '../../lib/text.ts'
import type { WordPressClient } from '../client/client.ts'
import { resolveSiteHome } from '../discover/address.ts'
import { fetchRestIndex } from '../discover/rest-root.ts'
import { readPostSchema, readPostTypes, seoFieldOf } from '../schema.ts'
import type { CurrentUser } from '../types.ts'
import {
  checkAddress,
  checkBatch,
  checkClock,
  checkConnection,
  checkCredentials,
  checkEncryption,
  checkRedirects,
  checkRestApi,
  checkVersion,
  readFrontPage,
  readVersion,
} from './checks/connection.ts'
import {
  checkEditor,
  checkLanguages,
  checkSeo,
  detectAuthoringStyle,
  type PluginSigns,
  seoRefusedFinding,
} from './checks/plugins.ts'
import {
  checkByline,
  checkPostType,
  checkReadableTerms,
  checkRequiredFields,
  checkRights,
  checkTerms,
} from './checks/post-type.ts'
import { probeDraft } from './probes/draft.ts'
import { checkCleanup } from './probes/leftovers.ts'
import {
  findProbeDrafts,
  PROBE_MARKER,
  type ProbeItem,
  removeEarlier,
  sampleTexts,
} from './probes/temporary-draft.ts'
import { probeUploadLimit } from './probes/temporary-file.ts'
import { probeUpload } from './probes/upload.ts'
import {
  type DoctorReport,
  type Finding,
  line,
  type MarkupChoice,
  type SiteAbilities,
  worstLevel,
} from './report.ts'

interface PostingSettings {
  /** REST base of the type that documents become; default `posts`. */
  postType?: string
  /** The markup that is chosen for documents; default `auto`, which is blocks. */
  format?: MarkupChoice
  /** The user whom the site's settings name as the author; default null, for none. */
  authorId?: number | null
  /** Code of the language that documents are in; default null, for the site's own. */
  language?: string | null
}

/**
 * Checks a connected site, no further than its prerequisites are met, with a draft and a few tiny files that it takes away again.
 * @returns the report, dated when it began; `failure` is why it ended before or at the credentials, if it did
 */
export async function runChecks(
  client: WordPressClient,
  settings: PostingSettings = {},
  now: () => number = Date.now,
): Promise<DoctorReport & { failure: GalleyError | null }> {
  const beganAt = now()
  const {
    findings: below,
    prerequisites,
    failure = null,
    ...where
  } = await checkPrerequisites(client, beganAt)
  const above = prerequisites && (await checkPosting(client, prerequisites, settings, beganAt))
  const findings = [...below, ...(above?.findings ?? [])].map(shortened)
  const abilities = above?.abilities ?? null
  return {
    checkedAt: new Date(beganAt).toISOString(),
    level: worstLevel(findings),
    findings,
    ...where,
    abilities,
    failure,
  }
}

/** Milliseconds that a check takes at most. What an older one made is removed; a younger one may be under way, in any process. */
const LONGEST_CHECK_MS = 15 * 60_000

/** Characters of a sentence: a site may name hundreds of types or roles, and every list of sites repeats its report. */
const MAX_SENTENCE_LENGTH = 5_000

const shortened = ({ seen, means, todo, ...finding }: Finding): Finding => ({
  ...finding,
  seen: excerpt(seen, MAX_SENTENCE_LENGTH),
  means: excerpt(means, MAX_SENTENCE_LENGTH),
  todo: todo === null ? null : excerpt(todo, MAX_SENTENCE_LENGTH),
})

interface Prerequisites extends PluginSigns, Pick<SiteAbilities, 'wordpressVersion'> {
  user: CurrentUser
}

/** Network, REST API and credentials. Each check needs the one before; without them the rest is moot. */
export async function checkPrerequisites(
  client: WordPressClient,
  now: number,
): Promise<
  Pick<DoctorReport, 'findings' | 'home' | 'installedAt'> & {
    prerequisites: Prerequisites | null
    failure?: GalleyError | undefined
  }
> {
  const { restRoot } = client.site
  const { finding: connection, answer, ...unreached } = await checkConnection(client)
  const unknown = { prerequisites: null, home: null, installedAt: null }
  if (!answer) return { findings: [connection], ...unknown, ...unreached }
  const { finding: restApi, index, usable, failure } = await checkRestApi(client, answer)
  const redirect = failure?.code === 'redirected' ? failure : undefined
  const findings = [
    connection,
    checkRedirects(restRoot, redirect),
    checkEncryption(restRoot),
    ...(redirect === undefined ? [restApi] : []),
  ]
  if (!usable) return { findings, ...unknown, failure }

  const clock = checkClock(answer.headers.date, now)
  if (clock) findings.push(clock)
  const { finding: credentials, user, failure: refusal } = await checkCredentials(client)
  // Refused once is enough: plugins count every try, and lock the address.
  const shown = index ?? (user === null ? null : await fetchRestIndex(client))
  const claimed = shown?.home ?? ''
  const address = checkAddress(client.site.restRoot, claimed)
  if (address) findings.push(address)
  const site = resolveSiteHome(restRoot, claimed)
  const frontPage = await readFrontPage(client.outbound, site)
  const installedAt = shown?.url ? withoutTrailingSlash(resolveSiteHome(restRoot, shown.url)) : null
  const version = await readVersion(client.outbound, installedAt ?? site, frontPage)
  findings.push(checkVersion(version), credentials)
  const home = claimed || null
  if (!user) return { findings, prerequisites: null, home, installedAt, failure: refusal }
  const namespaces = shown?.namespaces ?? null
  const wordpressVersion = version ?? newestWithout(namespaces)
  return { findings, home, installedAt, prerequisites: { user, namespaces, frontPage, wordpressVersion } }
}

/** The newest version without the abilities API, which came with 6.9 as formulas did: markup counts on no more. Null where it has that, or shows nothing. */
const newestWithout = (namespaces: string[] | null): string | null =>
  namespaces === null || namespaces.includes('wp-abilities/v1') ? null : '6.8'

/** What this user can do with a post of this type: read from the site, and confirmed by doing it. */
async function checkPosting(
  client: WordPressClient,
  { user, namespaces, frontPage, wordpressVersion }: Prerequisites,
  { postType = 'posts', format = 'auto', authorId = null, language = null }: PostingSettings,
  beganAt: number,
): Promise<{ findings: Finding[]; abilities: SiteAbilities | null }> {
  const { finding, postTypes, schema } = await describeType(client, postType)
  if (!schema) return { findings: [finding], abilities: null }

  const seoField = seoFieldOf(schema)
  const typeName = postTypes.find(({ restBase }) => restBase === postType)?.name
  const marker = `${PROBE_MARKER}${uuid({ msecs: beganAt })}`
  const sample = sampleTexts[format === 'classic' ? 'classic' : 'block']
  const draft = await probeDraft(client, { postType, marker, seoField, sample }, async (found, standing) => {
    // What a cache keeps of lists that are asked for here, deliveries would be answered with.
    const isCached = found.some(({ check, level }) => check === 'own_answers' && level !== 'ok')
    const terms = isCached ? checkTerms(schema) : await checkReadableTerms(client, schema)
    const written = async () => (isCached ? null : detectAuthoringStyle(client, { postType, user }))
    const editor = await checkEditor(client, namespaces, format, written)
    const site = { postType, schema, namespaces: namespaces ?? [], authorId, draft: standing }
    const byline = await checkByline(client, site)
    const batch = await checkBatch(client, postType)
    const lists = !isCached
    const upload = await probeUpload(client, { marker, lists })
    // Where answers to uploads are another's, none tells that a file got through.
    const limit = upload.isSound ? await probeUploadLimit(client, { marker, lists }) : null
    return { lists, terms, editor, byline, batch, upload, limit }
  })
  const { lists, terms, editor, byline, batch, upload, limit } = draft.meanwhile
  const { statuses } = schema
  // A site that hides its users does not tell whose anything is.
  const isKnown = user.id !== 0
  const drafts =
    lists && isKnown ? await findProbeDrafts(client, { postType, statuses, userId: user.id }) : []
  const earliest = uuid({ msecs: beganAt - LONGEST_CHECK_MS })
  const isEarlier = ({ author, checkId }: ProbeItem) => isKnown && author === user.id && checkId < earliest
  const earlier = await removeEarlier(client, postType, [...drafts, ...upload.listed].filter(isEarlier))
  const findings = [
    finding,
    terms,
    seoField !== null && draft.metaRefusal !== null
      ? seoRefusedFinding(seoField, draft.metaRefusal, typeName)
      : checkSeo(seoField, { namespaces, frontPage }, typeName),
    checkRequiredFields(schema),
    ...byline,
    await checkLanguages(client, { namespaces: namespaces ?? [], language, frontPage }),
    editor,
    ...draft.findings,
    batch,
    ...checkRights(user, schema, draft.draft),
    ...upload.findings,
    limit?.finding ?? null,
    ...checkCleanup(
      [...draft.leftBehind, ...upload.leftBehind, ...(limit?.leftBehind ?? []), ...earlier.leftBehind],
      earlier.removed,
    ),
  ].filter((found) => found !== null)
  const { requiredFields } = schema
  return { findings, abilities: { seoField: seoField?.key ?? null, requiredFields, wordpressVersion } }
}

async function describeType(client: WordPressClient, postType: string) {
  try {
    const postTypes = await readPostTypes(client)
    const finding = checkPostType(postTypes, postType)
    const schema = finding.level === 'ok' ? await readPostSchema(client, { postType }) : null
    return { finding, postTypes, schema }
  } catch (error) {
    const finding = line.post_type.failed(asFailure(error), 'Nothing can be delivered.')
    return { finding, postTypes: [], schema: null }
  }
}
