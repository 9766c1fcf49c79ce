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

/** Whether a site accepts requests now. */
interface SiteState {
  /** Stopped until its owner acts. */
  waitsForOwner: boolean
  /** In trouble and paused, or paused by hand. */
  resting: boolean
  /** It failed last time: one delivery tries first, the others follow its success. */
  probing: boolean
}

interface SiteContext {
  pool: Pool
  keyring: Keyring
  outbound: Outbound
  timing?: Pick<Timing, 'exchangeMs'>
}

export interface FoundSite {
  state: SiteState
  connectedAs: ConnectedCredentials
  /**
   * The site with its password decrypted.
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

/** SQL, so that a process that only delivers never loads Prisma. The database clock, which set a pause, also ends it. */
const LOAD_SITE = `
SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
  application_password AS "applicationPassword", settings, settings ->> 'language' AS language, author_id AS "authorId",
  seo_field AS "seoField", report, trouble, paused_until AS "pausedUntil",
  stopped_at IS NOT NULL OR (trouble IS NOT NULL AND paused_until IS NOT NULL AND paused_until > now()) AS resting
FROM site WHERE account_id = :accountId::uuid AND id = :id::uuid`

/** The account's site with this id; null where there is none. */
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
