import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { whoAmI } from '../../discover/index.ts'
import type { CurrentUser } from '../../types.ts'
import { fromFailure, ok } from '../finding.ts'
import type { Finding } from '../types.ts'

/** Whether the credentials arrive and are right; a public route would prove nothing. */
export async function checkCredentials(
  client: WordPressClient,
): Promise<{ finding: Finding; user: CurrentUser | null }> {
  try {
    const user = await whoAmI(client)
    if (user.isHidden)
      return {
        finding: ok(
          'credentials',
          `The application password of ${user.name} works. A plugin keeps users from the REST API (as WP Cerber does), so the role cannot be told.`,
          'Posts can be delivered. What this user may do is told further below, where it was tried; the setting “author” cannot be used.',
        ),
        user,
      }
    const roles = user.roles.length > 0 ? user.roles.join(', ') : 'no role'
    return {
      finding: ok('credentials', `Galley is ${user.name} (${roles}).`, 'The application password works.'),
      user,
    }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return { finding: fromFailure('credentials', error, 'Nothing can be delivered.'), user: null }
  }
}
