import type { ConnectLink } from '../database/generated/client.ts'
import type { Outbound } from '../outbound/index.ts'
import { locateSite, type VerifiedSite } from '../sites/register.ts'

/** What the owner of a site gave for it. */
export interface Credentials {
  username: string
  applicationPassword: string
  /** WordPress itself has just made them, so that they are right; not entered by hand. */
  justMade: boolean
}

/**
 * The site of a link as it is found now, with the credentials that its owner gave for it; `locateSite` says when they are
 * sent to find it.
 *
 * @throws GalleyError 422 with what was found instead, or `ADDRESS_LEADS_ELSEWHERE` where it has moved since
 */
export const locate = (
  outbound: Outbound,
  row: Pick<ConnectLink, 'url' | 'restRoot'>,
  { username, applicationPassword }: Credentials,
): Promise<Pick<VerifiedSite, 'url' | 'title' | 'connection'>> =>
  locateSite(
    outbound,
    { url: row.url, username, application_password: applicationPassword },
    row.restRoot ?? row.url,
  )
