import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import type { FailureCode } from '../failures/index.ts'
import { readPostSchema } from '../schema/index.ts'
import { CORE_STATUSES } from './marker.ts'
import type { PostRoute } from './route.ts'

/**
 * Every status that a post of this type can have on this site, the trash aside. Editorial plugins (Edit Flow,
 * PublishPress Statuses) take some of core's away, which a request must not name (400), and add their own, which a
 * lookup must not leave out: it would make a second post.
 */
export async function statusesOf(client: WordPressClient, { postType }: PostRoute): Promise<string[]> {
  try {
    const { statuses } = await readPostSchema(client, { postType })
    return statuses.length > 0 ? statuses : CORE_STATUSES
  } catch (error) {
    if (error instanceof GalleyError && (error.whose !== 'site' || OF_THE_QUESTION.has(error.code)))
      return CORE_STATUSES
    throw error
  }
}

/** What may befall an OPTIONS request while others pass; any other failure of the site would befall the lookup too. */
const OF_THE_QUESTION: ReadonlySet<string> = new Set<FailureCode>([
  'firewall_blocked',
  'firewall_modsecurity',
  'firewall_cloudflare',
  'firewall_wordfence',
  'firewall_sucuri',
  'firewall_imunify',
  'rest_route_missing',
  'answer_unexpected',
  'answer_unreadable',
])

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
