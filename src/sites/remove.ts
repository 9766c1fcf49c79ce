import { GalleyError } from '../errors.ts'
import { createClient } from '../wordpress/client/index.ts'
import { connectionOf } from './connection.ts'
import { asRefusal } from './prove.ts'
import { type SiteId, type SiteRegistry, siteRow } from './registry.ts'

/**
 * Removes a site from the registry; its posts stay, and what waits for it is held as `site_unknown`.
 *
 * @param revoke also ends the application password, on the site itself and first: where that fails the site stays
 * @throws GalleyError 404; 409 `PASSWORD_UNKNOWN`; 422 with the code and sentence of what the site answered
 */
export async function removeSite(
  registry: SiteRegistry,
  site: SiteId,
  { revoke }: { revoke: boolean },
): Promise<void> {
  if (revoke) await revokePassword(registry, site)
  else await siteRow(registry, site)
  await registry.prisma.site.deleteMany({ where: site })
}

async function revokePassword({ prisma, keyring, outbound }: SiteRegistry, site: SiteId): Promise<void> {
  const row = await siteRow({ prisma }, site)
  if (row.passwordUuid === null) throw passwordUnknown(row.name)
  const client = createClient(connectionOf(keyring, row), outbound)
  const path = `/wp/v2/users/me/application-passwords/${row.passwordUuid}`
  await asRefusal(() =>
    client.request({ method: 'DELETE', path, doing: 'revoking the application password', subject: 'user' }),
  )
}

const passwordUnknown = (name: string) =>
  new GalleyError({
    code: 'PASSWORD_UNKNOWN',
    httpStatus: 409,
    message: `${name} did not tell which application password Galley uses, so it cannot be revoked from here. Remove the site without revoke, and delete the password in WordPress under Users, Profile.`,
  })
