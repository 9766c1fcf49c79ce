import type { ConnectLink } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { SiteRegistry } from '../sites/registry.ts'
import { revokePassword } from '../sites/revoke.ts'
import { identifyPassword } from '../sites/verify-credentials.ts'
import { refusesCredentials } from '../wordpress/failures/index.ts'
import type { Credentials } from './locate.ts'
import { locate } from './locate.ts'

/** What became of a password that connected nothing. */
export type OrphanedPassword = 'revoked' | 'in_use' | 'stays'

/**
 * Revokes an application password that WordPress made for an answer that connected nothing: the link had ended
 * meanwhile, or the user may not post. One that a connected site uses stays, such as that of the same answer sent twice.
 *
 * @param refusal why nothing was connected
 * @returns `stays` where WordPress does not say which one it is
 * @throws GalleyError 422 where the site does not let it in, and so cannot be asked
 */
export async function revokeOrphanedPassword(
  { prisma, outbound }: Pick<SiteRegistry, 'prisma' | 'outbound'>,
  row: ConnectLink,
  credentials: Credentials,
  refusal: unknown,
): Promise<OrphanedPassword> {
  // A second try would be refused as well, and count as one more failed login.
  if (refusal instanceof GalleyError && refusesCredentials(refusal)) return 'stays'
  const { connection } = await locate(outbound, row, credentials)
  const { passwordUuid } = await identifyPassword(connection, outbound)
  if (passwordUuid === null) return 'stays'
  if ((await prisma.site.count({ where: { passwordUuid } })) > 0) return 'in_use'
  await revokePassword(outbound, connection, passwordUuid)
  return 'revoked'
}
