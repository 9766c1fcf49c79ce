import type { Outbound } from '../outbound/index.ts'
import { createClient } from '../wordpress/client/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { asRefusal } from './verify-credentials.ts'

/**
 * Ends the application password of a connection, on the site itself; the connection no longer works.
 *
 * @throws GalleyError 422 with the code and sentence of what the site answered
 */
export async function revokePassword(
  outbound: Outbound,
  connection: SiteConnection,
  passwordUuid: string,
): Promise<void> {
  const client = createClient(connection, outbound)
  const path = `/wp/v2/users/me/application-passwords/${passwordUuid}`
  await asRefusal(() =>
    client.request({ method: 'DELETE', path, doing: 'revoking the application password', subject: 'user' }),
  )
}
