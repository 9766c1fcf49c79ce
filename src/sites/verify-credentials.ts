import { z } from 'zod'
import { GalleyError, recoverWith } from '../errors.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { createClient, requestParsed, type WordPressClient } from '../wordpress/client/client.ts'
import { fetchCurrentUser } from '../wordpress/discover/current-user.ts'
import { wordPressFailure } from '../wordpress/failures/classify.ts'
import { readPostTypes } from '../wordpress/schema.ts'
import type { CurrentUser, SiteConnection } from '../wordpress/types.ts'

/** Verifies credentials, and that the user may write. @param certainty `justMade`: WordPress has just created them @returns as {@link identifyPassword} */
export async function verifyCredentials(
  connection: SiteConnection,
  outbound: Outbound,
  certainty: { justMade?: boolean } = {},
): Promise<string | null> {
  const client = createClient(connection, outbound)
  await asCredentialError(async () => requireRights(client, await fetchCurrentUser(client, certainty)))
  return identifyPassword(connection, outbound)
}

/** WordPress's UUID of a connection's application password, to revoke it by. WordPress before 5.7 and some security plugins do not tell. */
export async function identifyPassword(
  connection: SiteConnection,
  outbound: Outbound,
): Promise<string | null> {
  const read = requestParsed(createClient(connection, outbound), introspection, {
    path: '/wp/v2/users/me/application-passwords/introspect',
    doing: 'reading which application password is used',
    subject: 'user',
  })
  return (await read.catch(recoverWith(null)))?.value.uuid ?? null
}

const introspection = z.object({ uuid: z.guid() })

/** Refuses users without a right to write; where the profile shows none, WordPress is asked, as plugins may grant more. */
async function requireRights(client: WordPressClient, { name, roles, capabilities }: CurrentUser) {
  if (capabilities.edit_posts || capabilities.edit_pages) return
  const types = await readPostTypes(client).catch(recoverWith([], ({ code }) => code === 'rights_missing'))
  if (types.length > 0) return
  const said = `${name} has ${roles.length === 0 ? 'no role' : `the role ${roles.join(', ')}`} there`
  const context = { site: client.site.name, method: 'GET', doing: 'writing posts' }
  throw wordPressFailure('rights_missing', context, { said })
}

/** Converts a failure to reach or enter a site to the caller's 422. */
export async function asCredentialError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A 503 is about Galley and is temporary.
    if (!(error instanceof GalleyError) || error.httpStatus === 503) throw error
    const { code, message, action, fault, details } = error
    throw new GalleyError({ code, message, action, fault, details, httpStatus: 422, cause: error })
  }
}
