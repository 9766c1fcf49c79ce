import type { Pool } from 'pg'
import { execute, queryRows, storableJson, storableText } from '../../database/statement.ts'
import { GalleyError, isInterrupted, recoverWith, type Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { enqueueMany, IS_ACCOUNT_ENABLED, isReadyInQueue } from '../../jobs/job.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import { scalarText } from '../../lib/text.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import type { DeliverySite, SiteId } from '../../sites/connection.ts'
import { type WarningCode, withSeverity } from '../../warnings.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import { noindexValues, seoKeys } from '../../wordpress/schema.ts'
import { followAtOnce } from '../follow/follow.ts'
import { publicCheckJob } from '../jobs.ts'
import { AFTER_SCHEDULE_MS } from '../ledger/settle.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import {
  isReserved,
  LARGEST_PAGE,
  PageUnreadable,
  type PublicPost,
  readPage,
  reservedWarning,
  warn,
} from './read-page.ts'

// A stranger's look at posts that went public. What is found becomes warnings; the delivery and its post stay as they are.

export interface PublicCheckContext {
  pool: Pool
  outbound: Outbound
  timing: Pick<Timing, 'publicCheckMs'>
  stopping: AbortSignal
  /** Null where it is not connected, `rests` while nothing is to be sent to it. */
  siteOf(site: SiteId): Promise<DeliverySite | 'rests' | null>
}

type DueRow = Pick<DeliveryRow, 'id' | 'answered'> & {
  post_id: number
  post_type: string
  post_url: string
  post_status: string
  public_check_at: Date
  public_looks: number
}

export async function queuePublicChecks(pool: Pool): Promise<void> {
  const columns = { accountId: 'due.account_id', siteId: 'due.site_id' }
  const { rows } = await pool.query<{ accountId: string; siteId: string }>(
    `SELECT account_id AS "accountId", site_id AS "siteId"
     FROM (SELECT DISTINCT account_id, site_id FROM delivery WHERE public_check_at <= now() AND status = 'delivered') due
     WHERE ${IS_ACCOUNT_ENABLED(columns.accountId)} AND NOT ${isReadyInQueue(publicCheckJob, columns)}`,
  )
  await enqueueMany(pool, publicCheckJob, rows)
}

/** Posts that one job looks at, one after the other, and milliseconds in which it begins to. The others of the site come with the next job. */
const POSTS_PER_JOB = 20
const JOB_MS = 60_000

const REST_MS = 60 * 60_000

/** Looks at the posts of a site that are due. A page that cannot be read puts off all of them: it may be the site. */
export async function checkPublicPosts(context: PublicCheckContext, id: SiteId): Promise<void> {
  const { pool, siteOf, stopping } = context
  const site = await siteOf(id)
  if (site === 'rests') return postpone(pool, id, { inMs: REST_MS })
  if (!site?.settings.public_check) {
    await execute(pool, `UPDATE delivery SET public_check_at = NULL WHERE ${IS_DUE}`, { ...id })
    return
  }
  const until = monotonicNow() + JOB_MS
  for (const row of await loadDue(pool, id)) {
    if (stopping.aborted || monotonicNow() > until) return
    // Its time has come: follow says whether the site published it.
    if (row.post_status === 'future') await followAtOnce(pool, { ...id, deliveryId: row.id })
    try {
      await store(context, row, await look(context, site, row))
    } catch (error) {
      // The sweep queues what Galley could not ask.
      if (isInterrupted(error)) return
      if (!(error instanceof GalleyError || error instanceof PageUnreadable)) throw error
      return postpone(pool, id, {
        inMs: 2 * context.timing.publicCheckMs.again,
        asked: row.id,
        why: error.message,
      })
    }
  }
}

const IS_DUE = `account_id = :accountId::uuid AND site_id = :id::uuid AND public_check_at <= now() AND status = 'delivered'`

async function loadDue(pool: Pool, id: SiteId): Promise<DueRow[]> {
  return queryRows<DueRow>(
    pool,
    `SELECT id, answered, post_id, post_type, post_url, post_status, public_check_at, public_looks FROM delivery
     WHERE ${IS_DUE} ORDER BY public_looks, public_check_at LIMIT ${POSTS_PER_JOB}`,
    { ...id },
  )
}

/** Looks at a page in vain after which nobody looks at it again. */
const MOST_VAIN_LOOKS = 3

/** Puts off all of a site that is due. @param asked the delivery whose page was looked at in vain */
async function postpone(
  pool: Pool,
  id: SiteId,
  { inMs, asked = null, why = '' }: { inMs: number; asked?: string | null; why?: string },
): Promise<void> {
  await execute(
    pool,
    `WITH late AS (
       UPDATE delivery SET public_looks = public_looks + (id IS NOT DISTINCT FROM :asked::uuid)::int, public_check_at =
         CASE WHEN id IS DISTINCT FROM :asked::uuid OR public_looks + 1 < ${MOST_VAIN_LOOKS}
           THEN now() + :inMs::float8 * interval '1 millisecond' END
       WHERE ${IS_DUE} RETURNING id, public_check_at
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'public', 'unreadable', :why FROM late WHERE public_check_at IS NULL`,
    { ...id, inMs, asked, why: storableText(why) },
  )
}

/** What a look found, and when to look again where that is not for the answer of a cache to change. */
interface Look {
  warnings: Warning[]
  againInMs?: number
}

/** Not for a cache to change. */
const LASTING: ReadonlySet<WarningCode> = new Set<WarningCode>([
  'public_coming_soon',
  'public_login',
  'public_noindex',
  'public_reserved_address',
])

/** Warnings of an earlier look, which the next one replaces. */
const OF_LOOKS = `warning ->> 'code' LIKE 'public\\_%'`

/** Fenced by the moment for which the look was planned: what a newer version found stays. */
async function store({ pool, timing }: PublicCheckContext, row: DueRow, { warnings, againInMs }: Look) {
  const mayPass = warnings.some(({ code }) => !LASTING.has(code))
  const again = row.public_looks === 0 && mayPass ? timing.publicCheckMs.again : null
  await execute(
    pool,
    `WITH before AS (
       SELECT id, coalesce(jsonb_agg(warning) FILTER (WHERE NOT ${OF_LOOKS}), '[]') AS others,
         count(*) FILTER (WHERE ${OF_LOOKS}) AS found
       FROM delivery LEFT JOIN jsonb_array_elements(warnings) AS warning ON true WHERE id = :id::uuid GROUP BY id
     ), looked AS (
       UPDATE delivery d SET warnings = others || :warnings::jsonb, public_looks = public_looks + 1,
         public_check_at = now() + :again::float8 * interval '1 millisecond'
       FROM before WHERE d.id = before.id AND d.public_check_at = :plannedFor
       RETURNING d.id, found
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'public', CASE WHEN :said = '' THEN 'fine' ELSE 'found' END, nullif(:said, '')
     FROM looked WHERE found > 0 OR :said <> ''`,
    {
      id: row.id,
      plannedFor: row.public_check_at,
      warnings: storableJson(withSeverity(warnings)),
      said: warnings.map(({ code }) => code).join(', '),
      again: againInMs ?? again,
    },
  )
}

/** @throws GalleyError, PageUnreadable where nothing can be told now */
async function look({ outbound }: PublicCheckContext, site: DeliverySite, row: DueRow): Promise<Look> {
  const post = publicPostOf(site, row)
  const page = await fetchPage(outbound, post.url)
  if (page.status === 404 || page.status === 410) return lookForPost(outbound, site, post)
  const { warnings, pictures } = readPage(post, page)
  return { warnings: [...warnings, ...(await missingPictures(outbound, post, pictures))] }
}

function publicPostOf(
  { name, url: home }: DeliverySite,
  { answered, post_id: id, post_type: type, post_url: url }: DueRow,
): PublicPost {
  const { title = '', content = '', featuredMedia = 0, members = {} } = answered ?? {}
  const asksNoindex = Object.values(seoKeys).some(({ noindex = '' }) => {
    const [asked] = noindexValues[noindex] ?? ['1']
    return JSON.stringify(members[`meta.${noindex}`]) === JSON.stringify(asked)
  })
  return { site: name, home, id, type, url, title, content, hasFeaturedImage: featuredMedia > 0, asksNoindex }
}

const fetchPage = (outbound: Outbound, url: string | URL): Promise<OutboundResponse> =>
  outbound.request(url, {
    headers: { accept: 'text/html' },
    redirects: 'follow',
    maxBytes: LARGEST_PAGE,
    overflow: 'cut',
    timeoutMs: 10_000,
  })

/** After a 404: whether a cache remembers it, WordPress does not find a post that it has, or there is no public post now. */
async function lookForPost(outbound: Outbound, { client }: DeliverySite, post: PublicPost): Promise<Look> {
  const { site, id, url, type } = post
  if (isReserved(post)) return { warnings: reservedWarning(post) }
  const fresh = new URL(url)
  fresh.searchParams.set('galley', String(Date.now()))
  if ((await fetchPage(outbound, fresh)).status < 300)
    return {
      warnings: warn(
        'public_cached_404',
        `A cache of ${site} still says that there is no page at ${url} (HTTP 404), though post ${id} is public there. Clear the cache of the site and of the host.`,
      ),
    }
  const stands = await getPost(client, { postType: type, id, members: ['date_gmt'] })
  if (stands?.status === 'future') {
    const inMs = Date.parse(`${scalarText(stands.members.date_gmt)}Z`) - Date.now()
    return { warnings: [], ...(inMs > 0 && { againInMs: inMs + AFTER_SCHEDULE_MS }) }
  }
  if (stands?.status !== 'publish' || stands.hasPassword) return { warnings: [] }
  return {
    warnings: warn(
      'public_not_found',
      `Visitors get “not found” (HTTP 404) at ${url}, though WordPress on ${site} has post ${id} as published. Open Settings → Permalinks in WordPress and save them once; if that does not help, ask the host about its rewrite rules.`,
    ),
  }
}

async function missingPictures(
  outbound: Outbound,
  { site, id, url }: PublicPost,
  pictures: readonly string[],
): Promise<Warning[]> {
  const missing: string[] = []
  for (const picture of pictures) {
    // What cannot be asked for is not known to be missing.
    const answer = await outbound
      .request(picture, { method: 'HEAD', headOnly: true, redirects: 'follow', timeoutMs: 5_000 })
      .catch(recoverWith(null, () => true))
    if (answer?.status === 404 || answer?.status === 410) missing.push(picture)
  }
  if (missing.length === 0) return []
  return warn(
    'public_picture_missing',
    `Post ${id} on ${site}, ${url}, shows a picture that is not there (HTTP 404): ${missing.join(', ')}. Upload it again in WordPress, or send the document again.`,
  )
}
