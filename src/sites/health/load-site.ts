import type { Pool } from 'pg'
import type { Site } from '../../database/generated/client.ts'
import { named } from '../../database/statement.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { createClient } from '../../wordpress/client/client.ts'
import {
  type ConnectedCredentials,
  type ConnectionColumns,
  connectionOf,
  type DeliverySite,
  nameInMessages,
  type SiteId,
} from '../connection.ts'
import { siteUnknown } from '../registry.ts'
import { siteSettingsSchema } from '../settings.ts'
import type { StoredReport } from './report.ts'
import { type SiteReadiness, siteReadinessSql } from './state.ts'

interface SiteContext {
  pool: Pool
  keyring: Keyring
  outbound: Outbound
  timing?: Pick<Timing, 'exchangeMs'>
}

export interface FoundSite {
  readiness: SiteReadiness
  connectedAs: ConnectedCredentials
  /** The site with its password decrypted. @throws GalleyError `secret_key_missing`, `secret_unreadable` */
  open(): DeliverySite
}

type SiteRow = ConnectionColumns &
  Pick<Site, 'settings' | 'authorId' | 'seoField' | 'report'> & {
    readiness: SiteReadiness
    language: string | null
  }

/** SQL, so that a process that only delivers never loads Prisma. The database clock, which set a pause, also ends it. */
const LOAD_SITE = `
SELECT account_id AS "accountId", id, url, rest_root AS "restRoot", username,
  application_password AS "applicationPassword", settings, settings ->> 'language' AS language, author_id AS "authorId",
  seo_field AS "seoField", report, ${siteReadinessSql('site')} AS readiness
FROM site WHERE account_id = :accountId::uuid AND id = :id::uuid`

/** The account's site with this id; null where there is none. */
export async function loadSite(
  { pool, keyring, outbound, timing }: SiteContext,
  { accountId, id }: SiteId,
): Promise<FoundSite | null> {
  const { rows } = await pool.query<SiteRow>({ name: 'load-site', ...named(LOAD_SITE, { accountId, id }) })
  const [row] = rows
  if (row === undefined) return null
  const { username, applicationPassword: sealedPassword, authorId, language } = row
  const report = row.report as unknown as StoredReport | null
  const connectedAs = { username, sealedPassword, authorId, language }
  return {
    readiness: row.readiness,
    connectedAs,
    open: () => ({
      id,
      accountId,
      name: nameInMessages(row.url),
      url: row.url,
      installedAt: report?.installedAt ?? row.url,
      addresses: [row.url, row.restRoot, report?.home ?? row.url],
      settings: siteSettingsSchema.parse(row.settings),
      authorId: row.authorId,
      seoField: row.seoField,
      requiredFields: report?.abilities?.requiredFields ?? [],
      wordpressVersion: report?.abilities?.wordpressVersion || null,
      connectedAs,
      client: createClient(connectionOf(keyring, row), outbound, { timeoutsMs: timing?.exchangeMs }),
    }),
  }
}

/** As `loadSite`. @throws GalleyError 404 `NOT_FOUND` where there is none */
export async function requireSite(context: SiteContext, site: SiteId): Promise<FoundSite> {
  const found = await loadSite(context, site)
  if (found === null) throw siteUnknown(site)
  return found
}
