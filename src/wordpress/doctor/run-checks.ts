import { randomUUID } from 'node:crypto'
import { GalleyError } from '../../errors.ts'
import { excerpt } from '../../lib/text.ts'
import type { WordPressClient } from '../client/index.ts'
import { fetchRestIndex, resolveSiteHome } from '../discover/index.ts'
import { type PostSchema, type PostType, readPostSchema, readPostTypes, seoFieldOf } from '../schema.ts'
import type { CurrentUser } from '../types.ts'
import { checkByline } from './checks/byline.ts'
import {
  checkAddress,
  checkClock,
  checkConnection,
  checkCredentials,
  checkEncryption,
  checkRedirects,
  isRedirect,
} from './checks/connection.ts'
import { checkEditor, detectAuthoringStyle } from './checks/editor.ts'
import { checkLanguages } from './checks/languages.ts'
import {
  checkPostType,
  checkReadableTerms,
  checkRequiredFields,
  checkRights,
  checkTerms,
} from './checks/post-type.ts'
import { checkBatch, checkRestApi, loginRequiredFinding, mayRequireLogin } from './checks/rest-api.ts'
import { checkSeo, seoRefusedFinding } from './checks/seo.ts'
import { checkVersion, readFrontPage, readVersion } from './checks/version.ts'
import { probeDraft } from './probes/draft.ts'
import { checkCleanup } from './probes/leftovers.ts'
import { probeUpload } from './probes/upload.ts'
import { probeUploadLimit } from './probes/upload-limit.ts'
import {
  type DoctorReport,
  type Finding,
  findingFromFailure,
  type MarkupChoice,
  type SiteAbilities,
  worstLevel,
} from './report.ts'

interface CheckOptions {
  /** REST base of the type that documents become; default `posts`. */
  postType?: string
  /** The markup that is chosen for documents; default `auto`, which is blocks. */
  format?: MarkupChoice
  /** The user whom the site's settings name as the author; default null, for none. */
  authorId?: number | null
  /** Code of the language that documents are in; default null, for the site's own. */
  language?: string | null
  /** The time now, in milliseconds; for the clock check. */
  now?: () => number
}

/**
 * Checks a connected site: from the network upwards, and no further than its prerequisites are met. It
 * writes a draft and a few tiny files to see what gets through, and takes them away again.
 */
export async function runChecks(
  client: WordPressClient,
  {
    postType = 'posts',
    format = 'auto',
    authorId = null,
    language = null,
    now = Date.now,
  }: CheckOptions = {},
): Promise<DoctorReport> {
  const { findings: below, prerequisites, home } = await checkPrerequisites(client, now())
  const above = prerequisites
    ? await checkPosting(client, prerequisites, { postType, format, authorId, language })
    : { findings: [], abilities: null }
  const findings = [...below, ...above.findings].map(shortened)
  return {
    checkedAt: new Date(now()).toISOString(),
    level: worstLevel(findings),
    findings,
    home,
    abilities: above.abilities,
  }
}

/** Characters of a sentence: a site may name hundreds of types or roles, and every list of sites repeats its report. */
const MAX_SENTENCE_LENGTH = 5_000

const shortened = ({ seen, means, todo, ...finding }: Finding): Finding => ({
  ...finding,
  seen: excerpt(seen, MAX_SENTENCE_LENGTH),
  means: excerpt(means, MAX_SENTENCE_LENGTH),
  todo: todo === null ? null : excerpt(todo, MAX_SENTENCE_LENGTH),
})

/** What everything else stands on. */
interface Prerequisites {
  user: CurrentUser
  /** Of the REST API; null where it shows its index to nobody, so that they cannot be told. */
  namespaces: string[] | null
  /** Markup of the site's first page, as visitors see it; null where they do not. */
  frontPage: string | null
  wordpressVersion: string | null
}

/** Network, REST API and credentials. Each check needs the one before; without them the rest is moot. */
export async function checkPrerequisites(
  client: WordPressClient,
  now: number,
): Promise<{ findings: Finding[]; prerequisites: Prerequisites | null; home: string | null }> {
  const { restRoot } = client.site
  const { finding: connection, answer } = await checkConnection(client)
  if (!answer) return { findings: [connection], prerequisites: null, home: null }
  const open = checkRestApi(client, answer)
  // What visitors are not shown may be shown to users.
  const closed = mayRequireLogin(answer, open.refusal) ? await fetchRestIndex(client) : null
  const {
    finding: restApi,
    index,
    usable,
  } = closed === null
    ? open
    : { finding: loginRequiredFinding(client.site.name), index: closed, usable: true }
  const findings = [
    connection,
    checkRedirects(restRoot, answer, closed !== null),
    checkEncryption(restRoot),
    ...(usable || !isRedirect(answer) ? [restApi] : []),
  ]
  if (!usable) return { findings, prerequisites: null, home: null }

  const clock = checkClock(answer.headers.date, now)
  if (clock) findings.push(clock)
  const { finding: credentials, user } = await checkCredentials(client)
  // Refused once is enough: plugins count every try, and lock the address.
  const shown = index ?? (user === null ? null : await fetchRestIndex(client))
  const claimed = shown?.home ?? ''
  const address = checkAddress(client.site.restRoot, claimed)
  if (address) findings.push(address)
  const site = resolveSiteHome(restRoot, claimed)
  const frontPage = await readFrontPage(client.outbound, site)
  const wordpressVersion = await readVersion(client.outbound, site, frontPage)
  findings.push(checkVersion(wordpressVersion), credentials)
  const home = claimed || null
  if (!user) return { findings, prerequisites: null, home }
  return {
    findings,
    home,
    prerequisites: { user, namespaces: shown?.namespaces ?? null, frontPage, wordpressVersion },
  }
}

/** What documents become on the site, as its settings say. */
interface PostingSettings {
  postType: string
  format: MarkupChoice
  /** The user whom they name as the author; null for none. */
  authorId: number | null
  /** Code of the documents' language; null for none. */
  language: string | null
}

/** What this user can do with a post of this type: read from the site, and confirmed by doing it. */
async function checkPosting(
  client: WordPressClient,
  { user, namespaces, frontPage, wordpressVersion }: Prerequisites,
  { postType, format, authorId, language }: PostingSettings,
): Promise<{ findings: Finding[]; abilities: SiteAbilities | null }> {
  const { finding, postTypes, schema } = await describeType(client, postType)
  if (!schema) return { findings: [finding], abilities: null }

  const seoField = seoFieldOf(schema)
  const typeName = postTypes.find(({ restBase }) => restBase === postType)?.name
  const marker = `galley-check-${randomUUID()}`
  const draft = await probeDraft(client, { postType, marker, seoField }, async (found, standing) => {
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
    const limit =
      upload.upload && upload.ownAnswers ? await probeUploadLimit(client, { marker, lists }) : null
    return { terms, editor, byline, batch, upload, limit }
  })
  const { terms, editor, byline, batch, upload, limit } = draft.meanwhile
  const rights = checkRights(user, schema, draft.draft)
  const findings = [
    finding,
    terms,
    seoField !== null && draft.metaRefusal !== null
      ? seoRefusedFinding(seoField, draft.metaRefusal, typeName)
      : checkSeo(seoField, { namespaces, frontPage }, typeName),
    ...checkRequiredFields(schema),
    ...byline,
    ...(await checkLanguages(client, { namespaces: namespaces ?? [], language, frontPage })),
    editor.finding,
    ...draft.findings,
    batch,
    ...rights.findings,
    ...upload.findings,
    ...(limit ? [limit.finding] : []),
    ...checkCleanup([...draft.leftBehind, ...upload.leftBehind, ...(limit?.leftBehind ?? [])]),
  ]
  const abilities: SiteAbilities = {
    user,
    postTypes,
    ...rights.abilities,
    upload: upload.upload,
    editor: editor.editor,
    seoField: seoField?.key ?? null,
    requiredFields: schema.requiredFields,
    uploadBytes: limit?.uploadBytes ?? null,
    wordpressVersion,
  }
  return { findings, abilities }
}

async function describeType(
  client: WordPressClient,
  postType: string,
): Promise<{ finding: Finding; postTypes: PostType[]; schema: PostSchema | null }> {
  try {
    const postTypes = await readPostTypes(client)
    const finding = checkPostType(postTypes, postType)
    const schema = finding.level === 'ok' ? await readPostSchema(client, { postType }) : null
    return { finding, postTypes, schema }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const finding = findingFromFailure('post_type', error, 'Nothing can be delivered.')
    return { finding, postTypes: [], schema: null }
  }
}
