import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SiteId } from '../sites/site-id.ts'

/** Milliseconds for which an address can be loaded: a preview that is open that long has its styles already. */
const OPEN_MS = 3_600_000

/** What the address of a style sheet is bound to. */
const IDENTITY = 'address:styles'

const meant = z.strictObject({ accountId: z.guid(), id: z.guid(), until: z.int() })

/**
 * Where the frame of a preview loads the styles of a site, for an hour. The frame has no session: what it may load, the
 * address itself says, encrypted.
 */
export const stylesAddress = (keyring: Keyring, { accountId, id }: SiteId): string =>
  `/styles/${keyring.encrypt(JSON.stringify({ accountId, id, until: Date.now() + OPEN_MS }), IDENTITY)}.css`

/** The site that such an address is of; undefined for one that Galley did not make, or whose hour is over. */
export function siteOfStyles(keyring: Keyring, name: string): SiteId | undefined {
  if (!name.endsWith('.css')) return undefined
  try {
    const { accountId, id, until } = meant.parse(
      JSON.parse(keyring.decrypt(name.slice(0, -'.css'.length), IDENTITY)),
    )
    return until > Date.now() ? { accountId, id } : undefined
  } catch (error) {
    if (error instanceof GalleyError) return undefined
    throw error
  }
}
