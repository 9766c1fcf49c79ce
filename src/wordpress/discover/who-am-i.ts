import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import {
  LARGEST_INDEX,
  read,
  UNCACHED_HEADERS,
  uncached,
  type WordPressClient,
  type WordPressRequest,
} from '../client/index.ts'
import { type FailureCode, failure, plain } from '../failures/index.ts'
import { id, label, listOf, membersOf } from '../fields.ts'
import type { CurrentUser } from '../types.ts'
import { HIDES_USERS, hiddenUser } from './hidden-user.ts'
import { type RestIndex, readIndex } from './index-route.ts'
import { showsUser } from './known-user.ts'

const ASKING = { doing: 'verifying the credentials', subject: 'user' } as const

const request: WordPressRequest = { path: '/wp/v2/users/me', query: { context: 'edit' }, ...ASKING }

/** Plugins write `1` and `"1"` for a right as well. */
const capabilitiesSchema = membersOf(z.unknown(), 5000).transform((rights) =>
  Object.fromEntries(rights.map(([right, has]) => [right, Boolean(has)])),
)

const userSchema = z.object({
  id,
  name: label(),
  roles: listOf(label(), 100).default([]),
  capabilities: capabilitiesSchema,
})

/** How WordPress, and plugins that close its REST API to visitors, answer those whom they do not recognise. */
const UNRECOGNISED = new Set(['not_logged_in', 'rest_api_disabled', 'maintenance_page'])

/**
 * The user that the credentials stand for, with its capabilities. Public routes answer visitors too and
 * prove nothing; this one cannot. Where WordPress sees only a visitor, the reason is looked for.
 *
 * @param certainty `justMade` where WordPress itself has just made the credentials: those that are right and taken for
 *   none were lost on the way
 */
export async function whoAmI(
  client: WordPressClient,
  { justMade = false }: { justMade?: boolean } = {},
): Promise<CurrentUser> {
  try {
    const { value } = await read(client, userSchema, request)
    return { ...value, isHidden: false }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const hides = HIDES_USERS.has(error.code) && refusedAsVisitor(error) === null
    const hidden = hides ? await hiddenUser(client) : error
    if (!(hidden instanceof GalleyError)) return hidden
    // Of two refusals that one which says that nobody has signed in.
    const refusal = UNRECOGNISED.has(hidden.code) ? hidden : error
    if (!UNRECOGNISED.has(refusal.code)) throw refusal
    const reason = await reasonForVisitor(client, refusal, justMade)
    if (!reason) throw refusal
    const { code, ...facts } = reason
    throw failure(code, { site: client.site.name, method: 'GET', ...ASKING }, facts)
  }
}

interface Reason {
  code: FailureCode
  said?: string
  username?: string
}

/**
 * `rest_not_logged_in` says little: WordPress checks an application password only after its error could
 * still be reported, unless a plugin asks for the user earlier, so a wrong password and a header lost on the
 * way look alike (measured on 7.1, 6.8 and 6.1). What visitors are shown is all that is asked: plugins count every try
 * with credentials that are refused, and lock the address after three.
 */
async function reasonForVisitor(
  client: WordPressClient,
  refusal: GalleyError,
  justMade: boolean,
): Promise<Reason | null> {
  const forVisitors = refusedAsVisitor(refusal)
  if (forVisitors === null) return null
  const { username, applicationPassword } = client.site
  const index = await readSiteIndex(client)
  if (index && !('application-passwords' in index.authentication))
    return { code: 'application_passwords_off' }
  if (!looksLikeApplicationPassword(applicationPassword))
    return {
      code: 'password_wrong',
      said: 'this is not an application password, which has 24 letters and digits',
    }
  if (justMade) return { code: 'authorization_stripped' }
  const shown = await showsUser(client)
  if (shown === false) return { code: 'username_unknown', username }
  return { code: 'not_logged_in', ...forVisitors, ...(shown ? { username } : {}) }
}

const toldSchema = z.object({
  status: z.number(),
  wordpress: z.object({ code: z.string(), message: z.string() }).optional(),
})

/**
 * What a plugin says to visitors, where that is what was said; null where it may well be said to everybody, as of an API
 * that is switched off. 401 is of those who are not logged in.
 */
function refusedAsVisitor({ code, details }: GalleyError): { said?: string } | null {
  const { data } = toldSchema.safeParse(details)
  const { wordpress } = data ?? {}
  // Core's own words are in the sentence already.
  const said = wordpress && wordpress.code !== 'rest_not_logged_in' ? { said: plain(wordpress.message) } : {}
  return code === 'not_logged_in' || data?.status === 401 ? said : null
}

const TIMEOUT_MS = 15_000

/** The index of the REST API, as a visitor sees it; `null` where it is closed. */
async function readSiteIndex({ outbound, site }: WordPressClient): Promise<RestIndex | null> {
  try {
    const headers = { Accept: 'application/json', ...UNCACHED_HEADERS }
    const { status, body } = await outbound.request(uncached(site.restRoot), {
      headers,
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGEST_INDEX,
    })
    return status === 200 ? readIndex(body) : null
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}

/** 24 letters and digits, shown in groups of four (`WP_Application_Passwords::PW_LENGTH`). */
const looksLikeApplicationPassword = (password: string): boolean =>
  /^[a-z0-9]{24}$/i.test(password.replace(/\s/g, ''))
