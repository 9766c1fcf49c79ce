import { nameOfMember } from '../../contract/post-fields.ts'
import { recoverWith, type Warning } from '../../errors.ts'
import { BYLINE_FIELDS, fetchUserNames } from '../../wordpress/authors.ts'
import type { WordPressClient } from '../../wordpress/client/client.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import { findEditor } from '../../wordpress/posts/standing.ts'
import { fillPost } from '../../wordpress/posts/write.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { editsSinceFill, fieldNames, namedPost } from '../holds.ts'
import type { DeliveryRow, Replaced } from '../ledger/state.ts'
import { isSameMember, isUnchanged, rememberedMembers, textHash } from '../post-snapshot.ts'
import { type Delivering, postUrl } from './context.ts'
import { fencedClient, type PrepareContext } from './deliver.ts'
import { changesMore } from './fill.ts'

type Undoing = Pick<Delivering, 'row' | 'ledger' | 'site'> & { row: { replaced: Replaced } }

/** Whether a person wants back what their choice replaced, and no newer version has come since. */
export const isUndo = (row: DeliveryRow): row is Undoing['row'] =>
  row.answered?.overwrite?.undo === true && row.replaced?.eventId === row.wanted_event_id

/**
 * Puts back what a person’s choice replaced, in one request. Where the post is not as Galley left it, nothing is written, and a warning
 * says so. @returns whether it stands again
 */
export async function undo(
  { timing, justFailed, progress, warnings }: Omit<PrepareContext, 'pool'>,
  { row, ledger, site }: Undoing,
): Promise<boolean> {
  progress.step = 'undo'
  const { replaced, answered, post_id: id } = row
  if (id === null || answered === null) throw new Error(`delivery ${row.id} has no post to put back`)
  const post = { postType: row.post_type ?? site.settings.post_type, id }
  const members = [...rememberedMembers(answered), ...Object.keys(replaced.fields.members ?? {})]
  const before = await getPost(site.client, { ...post, members })
  const { rest, unknown } = replaced
  const { status, ...others } = replaced.fields
  const statusIsOurs = before !== null && isUnchanged('status', answered.status, before)
  const different = (now: PostRecord) =>
    Object.entries(rest).filter(([name, stood]) => !isSameMember(name, stood, now.members[name]))
  // Nothing tells whose the rest is, but that nobody has saved the post.
  const ours = before?.modifiedGmt === answered.modifiedGmt ? different(before) : []
  const fields: PostFields = {
    ...others,
    members: { ...others.members, ...Object.fromEntries(ours) },
    ...(statusIsOurs && status && { status }),
  }
  const stands = before !== null && isStanding(before, fields)
  const refusal = stands ? null : await refusalFor({ row, ledger, site }, post.postType, before, fields)
  if (refusal !== null) {
    const { warnings: known } = await ledger.stored()
    warnings.push(...known.filter(({ code }) => code !== refusal.code), refusal)
    return false
  }
  let after = before as PostRecord
  if (!stands) {
    await ledger.record('undo', 'intended', `post ${id}`)
    after = await fillPost(fencedClient(site.client, ledger, timing, justFailed), { ...post, fields })
  }
  const back = namedPost(site.name, after)
  if (!isStanding(after, others))
    warnings.push({
      code: 'undo_altered',
      message: `WordPress stored ${back} otherwise than it stood before: it drops what this user may not write. See the revisions of the post for the text as it was.`,
    })
  const left = [...unknown, ...different(after).map(([name]) => name)]
  const missing = left.map((name) => namedMember(site, name)).join(', ')
  if (missing !== '')
    warnings.push({
      code: 'undo_incomplete',
      message: `Not put back of ${back}: ${missing}. Galley keeps no passwords, knows only what WordPress showed it, and writes over nothing that somebody saved after your choice. Set these in WordPress.`,
    })
  const said = `post ${id} is ${after.status}`
  const patch = {
    post_status: after.status,
    post_url: postUrl(site, after),
    answered: { ...replaced.answered, modifiedGmt: after.modifiedGmt, putBack: true as const },
    replaced: null,
  }
  if (stands) ledger.defer('undo', 'found', said, patch)
  else ledger.defer('undo', 'done', said, patch)
  return true
}

const isStanding = (post: PostRecord, fields: PostFields): boolean =>
  textHash({ ...post, ...fields }) === textHash(post) && !changesMore(post, fields)

const namedMember = ({ seoField }: Undoing['site'], name: string): string =>
  name === `meta.${seoField}` ? 'search description' : (NAMES[name] ?? nameOfMember(name))

const NAMES: Readonly<Record<string, string>> = {
  slug: 'address',
  ...Object.fromEntries(BYLINE_FIELDS.map((field) => [field, 'byline'])),
}

async function refusalFor(
  { row, site }: Undoing,
  postType: string,
  now: PostRecord | null,
  fields: PostFields,
): Promise<Warning | null> {
  if (now === null)
    return {
      code: 'undo_refused',
      message: `Post ${row.post_id} on ${site.name} is no longer there, so nothing was put back.`,
    }
  const post = namedPost(site.name, now)
  if (now.status === 'trash')
    return { code: 'undo_refused', message: `${post} is in the trash, so nothing was put back.` }
  // A picture that was deleted from the library has changed no post.
  const lostMedia = new Set([row.answered?.featuredMedia ?? 0])
  const changes = editsSinceFill({ row, lostMedia }, now, fields)
  if (changes.length === 0) return null
  const unlessSiteFails = recoverWith(null, ({ fault }) => fault !== 'site')
  const who = (await editorOf(site.client, postType, now).catch(unlessSiteFails)) ?? 'Somebody'
  const names = fieldNames(changes)
  return {
    code: 'undo_refused',
    message: `${who} edited ${post} after your choice was written (${names}), so nothing was put back. WordPress has the earlier texts among the revisions of the post, if the site keeps them.`,
  }
}

async function editorOf(client: WordPressClient, postType: string, post: PostRecord): Promise<string | null> {
  const at = { postType, id: post.id, modifiedAt: new Date(`${post.modifiedGmt}Z`) }
  const editor = await findEditor(client, at)
  return editor === undefined ? null : ((await fetchUserNames(client, [editor])).get(editor) ?? null)
}
