import type { Pool } from 'pg'
import type { Site } from '../../database/generated/client.ts'
import { named } from '../../database/statement.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { Keyring } from '../../secrets/index.ts'
import { createClient } from '../../wordpress/client/index.ts'
import {
  type ConnectedCredentials,
  connectionOf,
  type DeliverySite,
  nameInMessages,
  type SiteId,
} from '../connection.ts'
import { siteSettingsSchema } from '../settings.ts'
import { claimedHome, requiredFieldsOf, wordpressVersionOf } from './report.ts'

/** Whether a site may be sent anything now. */
interface SiteState {
  /** Nothing goes on before its owner acts. */
  waitsForOwner: boolean
  /** Left alone: in trouble and its pause not over, or paused by hand. */
  resting: boolean
  /** It failed last time: one delivery first, and the others only once that went through. */
  probing: boolean
}

interface SiteContext {
  pool: Pool
  keyring: Keyring
  outbound: Outbound
  timing?: Pick<Timing, 'exchangeMs'>
}

/** A connected site as it stands in the database. */
export interface FoundSite {
  state: SiteState
  connectedAs: ConnectedCredentials
  /**
   * The site, ready to be spoken to.
   *
   * @throws GalleyError `secret_key_missing`, `secret_unreadable`
   */
  open(): DeliverySite
}

type SiteRow = Pick<
  Site,
  | 'accountId'
  | 'id'
  | 'url'
  | 'restRoot'
  | 'username'
  | 'applicationPassword'
  | 'settings'
  | 'authorId'
  | 'seoField'
  | 'report'
  | 'trouble'
  | 'pausedUntil'
> & { resting: boolean; language: string | null }

/** In SQL: a process that only delivers never loads Prisma. Whether a pause is over is said by the clock that it was set by. */
const LOAD_SITE = `
SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
  application_password AS "applicationPassword", settings, settings ->> 'language' AS language, author_id AS "authorId",
  seo_field AS "seoField", report, trouble, paused_until AS "pausedUntil",
  stopped_at IS NOT NULL OR (trouble IS NOT NULL AND paused_until IS NOT NULL AND paused_until > now()) AS resting
FROM site WHERE account_id = :accountId::uuid AND id = :id::uuid`

/** The site that an account has under an id; null where it has none. */
export async function loadSite(
  { pool, keyring, outbound, timing }: SiteContext,
  { accountId, id }: SiteId,
): Promise<FoundSite | null> {
  const { rows } = await pool.query<SiteRow>({ name: 'load-site', ...named(LOAD_SITE, { accountId, id }) })
  const [row] = rows
  if (row === undefined) return null
  const inOutage = row.trouble !== null
  const { username, applicationPassword: sealedPassword, authorId, language } = row
  const connectedAs = { username, sealedPassword, authorId, language }
  return {
    state: {
      waitsForOwner: inOutage && row.pausedUntil === null,
      resting: row.resting,
      probing: inOutage,
    },
    connectedAs,
    open: () => ({
      id,
      accountId,
      name: nameInMessages(row.url),
      url: row.url,
      addresses: [row.url, row.restRoot, ...claimedHome(row.report)],
      settings: siteSettingsSchema.parse(row.settings),
      authorId: row.authorId,
      seoField: row.seoField,
      requiredFields: requiredFieldsOf(row.report),
      wordpressVersion: wordpressVersionOf(row.report),
      connectedAs,
      client: createClient(
        connectionOf(keyring, row),
        outbound,
        timing?.exchangeMs ? { timeoutsMs: timing.exchangeMs } : {},
      ),
    }),
  }
}
