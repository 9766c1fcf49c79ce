import { randomUUID } from 'node:crypto'
import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import { type PostSchema, type PostType, readPostSchema, readPostTypes, seoFieldOf } from '../schema/index.ts'
import { checkBatch } from './checks/batch.ts'
import { checkByline } from './checks/byline.ts'
import { checkCleanup } from './checks/cleanup.ts'
import { checkEditor } from './checks/editor.ts'
import { checkLanguages } from './checks/languages.ts'
import { checkPostType, checkReadableTerms, checkTerms } from './checks/post-type.ts'
import { checkRequiredFields } from './checks/required-fields.ts'
import { checkRights } from './checks/rights.ts'
import { checkSeo, seoRefused } from './checks/seo.ts'
import { writtenIn } from './checks/written-in.ts'
import { fromFailure } from './finding.ts'
import type { Prerequisites } from './prerequisites.ts'
import { probeDraft } from './probes/draft.ts'
import { probeUpload } from './probes/upload.ts'
import { probeUploadLimit } from './probes/upload-limit.ts'
import type { Finding, MarkupChoice, SiteAbilities } from './types.ts'

/** What documents become on the site, as its settings say. */
export interface Posting {
  postType: string
  format: MarkupChoice
  /** The user whom they name as the author; null for none. */
  authorId: number | null
  /** Code of the documents' language; null for none. */
  language: string | null
}

/** What this user can do with a post of this type: read from the site, and confirmed by doing it. */
export async function checkPosting(
  client: WordPressClient,
  { user, namespaces, frontPage, wordpressVersion }: Prerequisites,
  { postType, format, authorId, language }: Posting,
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
    const written = async () => (isCached ? null : writtenIn(client, { postType, user }))
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
      ? seoRefused(seoField, draft.metaRefusal, typeName)
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
    const finding = fromFailure('post_type', error, 'Nothing can be delivered.')
    return { finding, postTypes: [], schema: null }
  }
}
