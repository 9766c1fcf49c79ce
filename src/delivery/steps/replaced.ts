import type { PostFields, PostRecord, PostStatus } from '../../wordpress/types.ts'
import type { LedgerPatch } from '../ledger/state.ts'
import { isTextField } from '../post-snapshot.ts'
import type { Delivering } from './context.ts'

/** Milliseconds that what a choice replaced can be put back. */
const UNDO_MS = 24 * 60 * 60_000

interface Replacing {
  before: PostRecord
  fields: PostFields
  /** A person chose that `fields` take the place of what somebody edited. */
  replaces: boolean
}

/**
 * What is remembered with the intent of a fill of what it replaces. Of several fills of one version the first counts: a later
 * one, after an answer that was lost, finds Galley's own text.
 */
export function rememberReplaced(
  { row, ledger }: Pick<Delivering, 'row' | 'ledger'>,
  { before, fields, replaces }: Replacing,
): Pick<LedgerPatch, 'replaced' | 'undo_until'> {
  const { replaced, wanted_event_id: eventId } = row
  if (replaced?.eventId === eventId) return {}
  if (!replaces || row.answered === null) return replaced === null ? {} : { replaced: null }
  const { overwrite: _, asked: __, ...answered } = row.answered
  return {
    replaced: { eventId, fields: standingFields(before, fields), answered },
    undo_until: new Date(ledger.now().getTime() + UNDO_MS),
  }
}

/** Of a post, what `fields` would set otherwise. A password is known by its fingerprint only. */
function standingFields(before: PostRecord, { members = {}, status, ...fields }: PostFields): PostFields {
  const names = Object.keys(fields).filter((name) => isTextField(name) || IDS.has(name))
  const stands = before as unknown as Record<string, unknown>
  const others = Object.keys(members).filter((name) => name !== 'password' && before.members[name] != null)
  return {
    ...Object.fromEntries(names.filter((name) => stands[name] !== null).map((name) => [name, stands[name]])),
    ...(others.length > 0 && {
      members: Object.fromEntries(others.map((name) => [name, before.members[name]])),
    }),
    ...(status !== undefined && isSettable(before.status) && { status: before.status }),
  }
}

const IDS: ReadonlySet<string> = new Set<keyof PostFields>(['categories', 'tags', 'featuredMedia'])

const isSettable = (status: PostStatus): status is NonNullable<PostFields['status']> =>
  ['draft', 'pending', 'publish', 'future', 'private'].includes(status)
