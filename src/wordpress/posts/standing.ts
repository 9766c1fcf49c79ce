import { z } from 'zod'
import type { Warning } from '../../errors.ts'
import { requestParsed, type WordPressClient } from '../client/client.ts'
import { boundedArray, idOrZeroSchema, idSchema, keywordSchema, webUrlSchema } from '../fields.ts'
import type { PostStatus } from '../types.ts'
import { type PostRoute, postRoute } from './find.ts'

/** What became of a post. */
export interface StandingPost {
  id: number
  status: PostStatus
  link: string | null
  modifiedAt: Date
  /** When it went public, or is to; null for one that is neither. */
  publishAt: Date | null
  /** The user who changed it last, where the site shows the meta `_edit_last` over REST; else undefined. */
  editor: number | undefined
}

/** Posts of one request: most that WordPress answers at once. */
export const POSTS_PER_READ = 100

/** A time of WordPress in UTC: `2026-11-28T09:30:00`. */
const gmtSchema = z
  .string()
  .transform((text) => new Date(`${text}Z`))
  .refine((moment) => !Number.isNaN(moment.getTime()), 'is not a time')

const HAS_DATE: ReadonlySet<string> = new Set(['publish', 'future', 'private'])

const standingSchema = z
  .object({
    id: idSchema,
    status: keywordSchema(),
    link: webUrlSchema.nullable().catch(null),
    modified_gmt: gmtSchema,
    date_gmt: gmtSchema.nullable().catch(null),
    meta: z.object({ _edit_last: idOrZeroSchema.optional() }).catch({}),
  })
  .transform(
    ({ id, status, link, modified_gmt, date_gmt, meta }): StandingPost => ({
      ...{ id, status, link, modifiedAt: modified_gmt },
      // WordPress answers a draft's creation.
      publishAt: HAS_DATE.has(status) ? date_gmt : null,
      editor: meta._edit_last || undefined,
    }),
  )

/** Posts by their numbers, the trash included; one that is missing was deleted, or has a status that is not found so. */
export async function readStandingPosts(
  client: WordPressClient,
  { postType, ids }: PostRoute & { ids: readonly number[] },
): Promise<Map<number, StandingPost>> {
  const { value } = await requestParsed(client, boundedArray(standingSchema), {
    path: postRoute({ postType }),
    query: {
      context: 'edit',
      _fields: 'id,status,link,modified_gmt,date_gmt,meta._edit_last',
      include: ids.join(),
      status: 'any,trash',
      per_page: POSTS_PER_READ,
    },
    doing: 'looking at what became of posts',
    subject: 'post',
  })
  return new Map(value.filter(({ id }) => ids.includes(id)).map((post) => [post.id, post]))
}

const revisionsSchema = boundedArray(z.object({ author: idOrZeroSchema, date_gmt: gmtSchema }))

/** The user of the newest revision where that is the last change of the post: a revision is kept of a changed text alone. */
export async function findEditor(
  client: WordPressClient,
  { postType, id, modifiedAt }: PostRoute & Pick<StandingPost, 'id' | 'modifiedAt'>,
): Promise<number | undefined> {
  const { value } = await requestParsed(client, revisionsSchema, {
    path: `${postRoute({ postType }, id)}/revisions`,
    query: { context: 'edit', _fields: 'author,date_gmt', per_page: 1 },
    doing: 'looking for who changed the post',
    subject: 'post',
  })
  const [newest] = value
  return (newest?.date_gmt.getTime() === modifiedAt.getTime() && newest.author) || undefined
}

/** WP-Cron may be this late on a site without visitors. */
const CRON_LATE_MS = 5 * 60_000

/** A post that should be public by now: WordPress publishes scheduled posts only while somebody visits, or its host calls it. */
export function scheduleMissed(
  site: string,
  { id, status, publishAt }: Pick<StandingPost, 'id' | 'status' | 'publishAt'>,
  now: Date,
): Warning[] {
  if (status !== 'future' || publishAt === null || !(publishAt.getTime() < now.getTime() - CRON_LATE_MS))
    return []
  const at = publishAt.toISOString().slice(0, 19)
  const message = `Post ${id} on ${site} was to be public at ${at} (UTC) and is still scheduled: WP-Cron does not run there. Have the host call wp-cron.php every few minutes.`
  return [{ code: 'schedule_missed', message }]
}
