import type { Warning } from '../../errors.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import { fillPost } from '../../wordpress/posts/write.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import { isSameMember, mergeSnapshot, rememberedMembers } from '../post-snapshot.ts'
import type { Delivering } from './context.ts'
import { resolveSeo } from './resolve-fields.ts'

/** Whether this version stands on the site, and only its canonical address is missing. */
export const isCanonicalAlone = ({ answered, delivered_event_id, wanted_event_id }: DeliveryRow): boolean =>
  answered?.canonicalOnly === true && delivered_event_id === wanted_event_id

/** Sets the canonical address of a post that stands, and nothing else: whatever a person made of the post stays. */
export async function setCanonical(delivering: Delivering): Promise<void> {
  const { row, site, ledger, writer, postType, wanted, warnings } = delivering
  const { canonical } = wanted.fields.seo ?? {}
  delivering.progress.step = 'fill'
  warnings.splice(0, warnings.length, ...(await ledger.stored()).warnings)
  if (row.post_id === null || canonical === undefined) return
  const unavailable: Warning[] = []
  const members = await resolveSeo({ ...delivering, warnings: unavailable }, { canonical })
  warnings.push(...unavailable)
  const [name, url] = Object.entries(members)[0] ?? []
  if (name === undefined) return
  const route = { postType, id: row.post_id }
  const before = await getPost(site.client, { ...route, members: [...rememberedMembers(row.answered), name] })
  // A person has removed it, or named another address.
  if (before === null || before.status === 'trash' || (before.members[name] ?? '') !== '') return
  await ledger.record('fill', 'intended', 'the canonical address alone')
  const post = await fillPost(writer, { ...route, fields: { members } })
  if (!isSameMember(name, url, post.members[name])) return
  const stands = mergeSnapshot(row.answered, { sent: { members }, before, post })
  // Until it rests, so that nobody is told of the delivery once more.
  const answered = { ...stands, canonicalOnly: true as const }
  ledger.defer('fill', 'canonical', `post ${post.id} names ${url}`, { answered })
}
