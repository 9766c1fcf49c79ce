import { proveSite } from '../sites/register.ts'
import type { SiteRegistry } from '../sites/registry.ts'
import { revokePassword } from '../sites/revoke.ts'
import type { Credentials } from './connect.ts'

/**
 * Revokes an application password that WordPress made for an answer that connected nothing: the link had ended
 * meanwhile, or the user may not post. One that a connected site uses stays, such as that of the same answer sent twice.
 *
 * @returns whether it was revoked
 * @throws GalleyError 422 where the site does not let it in, and so cannot be asked
 */
export async function revokeLeftover(
  registry: SiteRegistry,
  url: string,
  { username, applicationPassword }: Credentials,
): Promise<boolean> {
  const { connection, passwordUuid } = await proveSite(registry, {
    url,
    username,
    application_password: applicationPassword,
  })
  if (passwordUuid === null) return false
  if ((await registry.prisma.site.count({ where: { passwordUuid } })) > 0) return false
  await revokePassword(registry.outbound, connection, passwordUuid)
  return true
}
