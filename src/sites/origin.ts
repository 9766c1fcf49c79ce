import { GalleyError } from '../errors.ts'
import { candidatesFor, staysWith } from '../wordpress/discover/index.ts'

/** Where a password may be sent: scheme, host and port. */
const originOf = (address: string): string => new URL(address).origin

/**
 * A stored password is sent to the origin it was given for, and to no other: whoever may change an address could read
 * it there. Asked before anything is sent, of what was typed, and again of where that led.
 *
 * @throws GalleyError 422 `PASSWORD_NEEDED`
 */
export function refuseOtherOrigin(
  restRoot: string,
  { typed, found }: { typed?: string; found?: string },
): void {
  const origin = originOf(restRoot)
  const asked = typed === undefined ? [found ?? restRoot] : candidatesFor(typed).map(({ href }) => href)
  if (asked.some((address) => originOf(address) === origin)) return
  throw new GalleyError({
    code: 'PASSWORD_NEEDED',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `The stored application password was given for ${origin}, and ${asked.map(originOf).join(' or ')} is another address; http and https, and two ports, are two addresses. It was not sent there, and nothing was changed. Give "application_password" together with the new address.`,
  })
}

/**
 * A password that comes with an address is for the site there, and not for whatever that address leads to.
 *
 * @throws GalleyError 422 `ADDRESS_LEADS_ELSEWHERE`
 */
export function refuseLedAway(typed: string, restRoot: string): void {
  if (staysWith(typed, restRoot)) return
  throw new GalleyError({
    code: 'ADDRESS_LEADS_ELSEWHERE',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `${typed.trim()} leads to a REST API at ${originOf(restRoot)}, which is another address. The application password was not sent there. If that is the site you mean, connect it by ${originOf(restRoot)}.`,
  })
}
