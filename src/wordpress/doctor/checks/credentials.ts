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
