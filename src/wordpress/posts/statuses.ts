import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import { readPostSchemaIfTold } from '../schema/index.ts'
import { CORE_STATUSES } from './marker.ts'
import type { PostRoute } from './requests.ts'

/**
 * Every status that a post of this type can have on this site, the trash aside. Editorial plugins (Edit Flow,
 * PublishPress Statuses) take some of core's away, which a request must not name (400), and add their own, which a
 * lookup must not leave out: it would make a second post.
 */
const statusesOf = (client: WordPressClient, type: PostRoute): Promise<string[]> =>
  client.traffic.remember(keyOf(client, type), async () => {
    const { statuses } = (await readPostSchemaIfTold(client, type)) ?? { statuses: [] }
    return statuses.length > 0 ? statuses : CORE_STATUSES
  })

/** Looks in all of these statuses; once more where the site does not have one of them any more that is remembered. */
export async function withStatuses<Found>(
  client: WordPressClient,
  type: PostRoute,
  look: (statuses: string[]) => Promise<Found>,
): Promise<Found> {
  const statuses = await statusesOf(client, type)
  try {
    return await look(statuses)
  } catch (error) {
    if (!refusesStatus(error)) throw error
    client.traffic.forget(keyOf(client, type))
    const now = await statusesOf(client, type)
    if (now.join() === statuses.join()) throw error
    return look(now)
  }
}

const keyOf = ({ site }: WordPressClient, { postType }: PostRoute): string =>
  JSON.stringify([site.restRoot, 'statuses', postType])

/** Of these statuses, those of a post that is not finished: neither shown to anybody nor handed in. */
export const unfinished = (statuses: readonly string[]): string[] =>
  statuses.filter((status) => !FINISHED.has(status))

const FINISHED: ReadonlySet<string> = new Set(['publish', 'future', 'private', 'pending', 'trash'])

/** Whether a refusal is about the status that was asked for, which the site does not have. */
export function refusesStatus(error: unknown): error is GalleyError {
  if (!(error instanceof GalleyError && error.code === 'field_refused')) return false
  const params = (error.details as { wordpress?: { data?: { params?: unknown } } } | undefined)?.wordpress
    ?.data?.params
  return typeof params === 'object' && params !== null && 'status' in params
}
