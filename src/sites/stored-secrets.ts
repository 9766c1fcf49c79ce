import type { PrismaClient } from '../database/index.ts'
import type { Keyring, StoredSecret } from '../secrets/index.ts'
import { connectionOf } from './connection.ts'
import type { SiteId } from './site-id.ts'

const columns = {
  accountId: true,
  id: true,
  url: true,
  restRoot: true,
  username: true,
  applicationPassword: true,
} as const

/** The application passwords of all sites, of every account, as they are stored. */
export async function sitePasswords(prisma: PrismaClient, keyring: Keyring): Promise<StoredSecret[]> {
  const rows = await prisma.site.findMany({ select: columns })
  return rows.map((row) => ({
    sealed: row.applicationPassword,
    of: 'sites',
    read: () => connectionOf(keyring, row),
  }))
}

/** The sites that were stopped because their password could not be read, and now can. */
export async function readableAgain(prisma: PrismaClient, keyring: Keyring): Promise<SiteId[]> {
  const stopped = await prisma.site.findMany({
    where: {
      OR: ['secret_key_missing', 'secret_unreadable'].map((code) => ({
        trouble: { path: ['code'], equals: code },
      })),
    },
    select: columns,
  })
  return stopped.flatMap((row) => {
    try {
      connectionOf(keyring, row)
      return [{ accountId: row.accountId, id: row.id }]
    } catch {
      // It waits on, with the words that its trouble has.
      return []
    }
  })
}
