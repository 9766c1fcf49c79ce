import { getPost } from '../../wordpress/posts/find.ts'
import type { PostFields, PostMembers, PostRecord, PostStatus } from '../../wordpress/types.ts'
import type { LedgerPatch } from '../ledger/state.ts'
import { isSameMember, isTextField } from '../post-snapshot.ts'
import type { Delivering } from './context.ts'

const UNDO_MS = 24 * 60 * 60_000

interface Replacing {
  before: PostRecord
  fields: PostFields
  /** A person chose that `fields` take the place of what somebody edited. */
  replaces: boolean
}

/** What a fill replaces, to be recorded with its intent. Of several fills of one version the first counts: a later one finds its text. */
export async function rememberReplaced(
  { row, ledger, site, postType }: Pick<Delivering, 'row' | 'ledger' | 'site' | 'postType'>,
  { before, fields, replaces }: Replacing,
): Promise<Pick<LedgerPatch, 'replaced' | 'undo_until'>> {
  const { replaced, wanted_event_id: eventId } = row
  if (replaced?.eventId === eventId) return {}
  if (!replaces || row.answered === null) return replaced === null ? {} : { replaced: null }
  const { overwrite: _, asked: __, ...answered } = row.answered
  // The look before a fill shows the members that Galley set earlier; this version may set others.
  const members = Object.keys(fields.members ?? {})
  const stood = (await getPost(site.client, { postType, id: before.id, members })) ?? before
  return {
    replaced: { eventId, ...standingFields(stood, fields), answered },
    undo_until: new Date(ledger.now().getTime() + UNDO_MS),
  }
}

/** Of a post, what a fill changes of it, as it stands, and what of that nobody can tell. */
function standingFields(before: PostRecord, { members = {}, meta = {}, status, ...fields }: PostFields) {
  const names = Object.keys(fields).filter((name) => isTextField(name) || IDS.has(name))
  const stands = before as unknown as Record<string, unknown>
  // A password is known by its fingerprint only, but for an empty one.
  const shown: PostMembers = { ...before.members, password: before.hasPassword ? null : '' }
  const pick = (asked: string[]) =>
    Object.fromEntries(asked.filter((name) => shown[name] != null).map((name) => [name, shown[name]]))
  const seo = Object.keys(meta).map((key) => `meta.${key}`)
  const others = ['slug', 'author', before.byline?.field ?? ''].filter((name) => shown[name])
  return {
    fields: {
      ...Object.fromEntries(
        names.filter((name) => stands[name] !== null).map((name) => [name, stands[name]]),
      ),
      members: pick(Object.keys(members)),
      ...(status !== undefined && isSettable(before.status) && { status: before.status }),
    },
    rest: pick([...seo, ...others]),
    unknown: [...Object.keys(members), ...seo].filter(
      (name) => shown[name] == null && !isSameMember(name, members[name], before.members[name]),
    ),
  }
}

const IDS: ReadonlySet<string> = new Set<keyof PostFields>(['categories', 'tags', 'featuredMedia'])

const isSettable = (status: PostStatus): status is NonNullable<PostFields['status']> =>
  ['draft', 'pending', 'publish', 'future', 'private'].includes(status)
