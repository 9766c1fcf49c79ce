import { GalleyError } from '../errors.ts'
import { connectionOf } from './connection.ts'
import { hasSite, type SiteRegistry, siteChanged, siteRow } from './registry.ts'
import { revokePassword } from './revoke.ts'
import type { SiteId } from './site-id.ts'

/**
 * Removes a site from the registry; its posts stay, and what waits for it is held as `site_unknown`.
 *
 * @returns what whoever connects it again must know
 * @param revoke also ends the application password, on the site itself and first: where that fails the site stays
 * @throws GalleyError 404; 409 `PASSWORD_UNKNOWN`, or `SITE_CHANGED` where it has another password by then; 422 with the code and sentence of what the site answered
 */
export async function removeSite(
  registry: SiteRegistry,
  site: SiteId,
  { revoke }: { revoke: boolean },
): Promise<string> {
  if (!revoke) await siteRow(registry, site)
  const ended = revoke ? { applicationPassword: await endPassword(registry, site) } : {}
  const { count } = await registry.prisma.site.deleteMany({ where: { ...site, ...ended } })
  if (count === 0 && (await hasSite(registry, site))) throw siteChanged(site)
  return `Its posts stay. To connect it again, give it this "id", ${site.id}: under another one not all of its posts are known again, and a document that is sent again may become a second post.`
}

/** @returns the password, as it is stored */
async function endPassword({ prisma, keyring, outbound }: SiteRegistry, site: SiteId): Promise<string> {
  const row = await siteRow({ prisma }, site)
  if (row.passwordUuid === null) throw passwordUnknown(row.name)
  await revokePassword(outbound, connectionOf(keyring, row), row.passwordUuid)
  return row.applicationPassword
}

const passwordUnknown = (name: string) =>
  new GalleyError({
    code: 'PASSWORD_UNKNOWN',
    httpStatus: 409,
    message: `${name} did not say which application password Galley uses, so it cannot be revoked from here. Remove the site without revoke, and delete the password in WordPress under Users, Profile.`,
  })
