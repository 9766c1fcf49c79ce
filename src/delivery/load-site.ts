import type { PrismaClient } from '../database/generated/client.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import { connectionOf, nameInMessages } from '../sites/connection.ts'
import { siteSettingsSchema } from '../sites/settings.ts'
import { createClient } from '../wordpress/client/index.ts'
import type { DeliverySite } from './delivering.ts'
import type { Timing } from './timing.ts'

/** Whether a site may be sent anything now. */
export interface SiteState {
  /** In trouble and left alone: its pause is not over, or it waits for its owner. */
  resting: boolean
  /** It failed last time: one delivery first, and the others only once that went through. */
  probing: boolean
}

interface SiteContext {
  prisma: PrismaClient
  keyring: Keyring
  outbound: Outbound
  timing: Timing
}

/**
 * The site as the pump needs it; null where it is not connected.
 *
 * @throws GalleyError `secret_key_missing`, `secret_unreadable`
 */
export async function loadSite(
  { prisma, keyring, outbound, timing }: SiteContext,
  id: string,
): Promise<{ site: DeliverySite; state: SiteState } | null> {
  const row = await prisma.site.findUnique({ where: { id } })
  if (row === null) return null
  const inTrouble = row.trouble !== null
  return {
    site: {
      id,
      accountId: row.accountId,
      name: nameInMessages(row.url),
      url: row.url,
      settings: siteSettingsSchema.parse(row.settings),
      authorId: row.authorId,
      seoField: row.seoField,
      client: createClient(
        connectionOf(keyring, row),
        outbound,
        timing.exchangeMs ? { timeoutsMs: timing.exchangeMs } : {},
      ),
    },
    state: {
      resting: inTrouble && (row.pausedUntil === null || row.pausedUntil > new Date()),
      probing: inTrouble,
    },
  }
}
