import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { createClient, requestParsed, type WordPressClient } from '../wordpress/client/index.ts'
import { fetchCurrentUser } from '../wordpress/discover/index.ts'
import { wordPressFailure } from '../wordpress/failures/index.ts'
import { readPostTypes } from '../wordpress/schema.ts'
import type { CurrentUser, SiteConnection } from '../wordpress/types.ts'

/** What WordPress told about credentials that work. */
export interface VerifiedCredentials {
  /** UUID it knows the application password by, to revoke it one day; null where it does not tell. */
  passwordUuid: string | null
}

/**
 * Proves credentials by a call that no visitor can make, and that their user may write something.
 *
 * @param certainty `justMade` where WordPress itself has just made them
 * @throws GalleyError 422 with the code and the sentence of what failed
 */
export async function verifyCredentials(
  connection: SiteConnection,
  outbound: Outbound,
  certainty: { justMade?: boolean } = {},
): Promise<VerifiedCredentials> {
  const client = createClient(connection, outbound)
  await asCredentialError(async () => requireRights(client, await fetchCurrentUser(client, certainty)))
  return identifyPassword(connection, outbound)
}

/** Which application password of its user a connection has, as far as WordPress tells. */
export async function identifyPassword(
  connection: SiteConnection,
  outbound: Outbound,
): Promise<VerifiedCredentials> {
  return { passwordUuid: await passwordUuid(createClient(connection, outbound)) }
}

/**
 * A subscriber logs in like anybody else, and could never be delivered to. Where the profile shows no right to write,
 * WordPress is asked what the user may edit: a plugin may grant what no profile shows.
 */
async function requireRights(client: WordPressClient, { name, roles, capabilities }: CurrentUser) {
  if (capabilities.edit_posts || capabilities.edit_pages) return
  const types = await readPostTypes(client).catch((error: unknown) => {
    if (error instanceof GalleyError && error.code === 'rights_missing') return []
    throw error
  })
  if (types.length > 0) return
  const said = `${name} has ${roles.length === 0 ? 'no role' : `the role ${roles.join(', ')}`} there`
  const context = { site: client.site.name, method: 'GET', doing: 'writing posts', subject: 'post' } as const
  throw wordPressFailure('rights_missing', context, { said })
}

/** A failure to reach or enter a site, as the answer to whoever named it. */
export async function asCredentialError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // 503 is about Galley, and passes.
    if (!(error instanceof GalleyError) || error.httpStatus === 503) throw error
    const { code, message, action, fault, details } = error
    throw new GalleyError({ code, message, action, fault, details, httpStatus: 422, cause: error })
  }
}

const introspection = z.object({ uuid: z.guid() })

/** WordPress before 5.7 and some security plugins do not tell; the site works all the same. */
async function passwordUuid(client: WordPressClient): Promise<string | null> {
  try {
    const { value } = await requestParsed(client, introspection, {
      path: '/wp/v2/users/me/application-passwords/introspect',
      doing: 'reading which application password is used',
      subject: 'user',
    })
    return value.uuid
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}
