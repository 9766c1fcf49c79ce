import type { ConnectLink } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { hashToken } from '../secrets/index.ts'
import { passwordOf } from '../sites/connection.ts'
import type { SiteRegistry } from '../sites/registry.ts'
import { revokePassword } from '../sites/revoke.ts'
import { identifyPassword } from '../sites/verify-credentials.ts'
import { refusesCredentials } from '../wordpress/failures/index.ts'
import { type Credentials, locate } from './locate.ts'

/** What became of a password that connected nothing. */
export type OrphanedPassword = 'revoked' | 'in_use' | 'stays'

/**
 * Revokes an application password that WordPress made for an answer that connected nothing: the link had ended
 * meanwhile, or the user may not post. One that a connected site uses stays, such as that of the same answer sent twice;
 * once it is being revoked, the link connects nothing with it any more.
 *
 * @param refusal why nothing was connected
 * @returns `stays` where WordPress does not say which one it is
 * @throws GalleyError 422 where the site does not let it in, and so cannot be asked
 */
export async function revokeOrphanedPassword(
  registry: SiteRegistry,
  row: ConnectLink,
  credentials: Credentials,
  refusal: unknown,
): Promise<OrphanedPassword> {
  // A second try would be refused as well, and count as one more failed login.
  if (refusal instanceof GalleyError && refusesCredentials(refusal)) return 'stays'
  const { connection } = await locate(registry.outbound, row, credentials)
  const { passwordUuid } = await identifyPassword(connection, registry.outbound)
  const withdrawn = row.withdrawnPasswords.includes(hashToken(credentials.applicationPassword))
  // Another answer with it has revoked it already.
  if (passwordUuid === null) return withdrawn ? 'revoked' : 'stays'
  if (!(await withdraw(registry, row.id, credentials.applicationPassword, passwordUuid))) return 'in_use'
  await revokePassword(registry.outbound, connection, passwordUuid)
  return 'revoked'
}

/** Notes on the link that nothing is to be connected with a password; false where a site is. */
const withdraw = (
  { prisma, keyring }: SiteRegistry,
  linkId: string,
  password: string,
  passwordUuid: string,
): Promise<boolean> =>
  prisma.$transaction(async (transaction) => {
    // By a statement of its own: the next ones then see the site of an answer that is being stored now.
    await transaction.$queryRaw`SELECT id FROM connect_link WHERE id = ${linkId}::uuid FOR UPDATE`
    if ((await transaction.site.count({ where: { passwordUuid } })) > 0) return false
    const { accountId, siteId: id } = await transaction.connectLink.findUniqueOrThrow({
      where: { id: linkId },
    })
    // WordPress may not have told of which UUID the password is when it was stored.
    const site = id && (await transaction.site.findFirst({ where: { accountId, id, passwordUuid: null } }))
    if (site && passwordOf(keyring, site) === password) return false
    await transaction.connectLink.update({
      where: { id: linkId },
      data: { withdrawnPasswords: { push: hashToken(password) } },
    })
    return true
  })
