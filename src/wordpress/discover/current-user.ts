import { z } from 'zod'
import { asFailure, GalleyError, recoverWith } from '../../errors.ts'
import {
  addCacheBuster,
  requestParsed,
  type WordPressClient,
  type WordPressRequest,
} from '../client/client.ts'
import type { FailureCode } from '../failures/catalogue.ts'
import { wordPressFailure } from '../failures/classify.ts'
import { htmlToText } from '../failures/error-pages.ts'
import { boundedArray, boundedRecord, idSchema, labelSchema } from '../fields.ts'
import type { CurrentUser } from '../types.ts'
import { believesPlain, resolveSiteHome } from './address.ts'
import { parseRestIndex, type RestIndex, requestIndex, requestPage } from './rest-root.ts'

/** Of a name that WordPress writes in an address as it is. */
const PLAIN = /^[a-z0-9_-]{1,50}$/i

/** Whether visitors are shown a page of this author, known by its class of `body_class`; null where that cannot be told. */
async function hasAuthorPage({ outbound, site }: WordPressClient, home: string): Promise<boolean | null> {
  if (!PLAIN.test(site.username)) return null
  const name = site.username.toLowerCase()
  const page = new URL(home)
  page.searchParams.set('author_name', name)
  const answer = await requestPage(outbound, addCacheBuster(page.href)).catch(recoverWith(null))
  if (answer?.status === 404) return false
  return answer?.status === 200 && answer.body.includes(`author-${name}`) ? true : null
}

/** As plugins and firewalls refuse the route of users, which they close to all but administrators (WP Cerber). */
const HIDDEN_USER_CODES: ReadonlySet<string> = new Set([
  'firewall_blocked',
  'rights_missing',
  'rest_route_missing',
  'not_found',
  'rest_api_disabled',
])

/** What an editor may. Where a user may less, WordPress says so when it comes to that. */
const ASSUMED_CAPABILITIES = [
  'edit_posts',
  'publish_posts',
  'publish_pages',
  'upload_files',
  'manage_categories',
]

/** Where no users are shown: whoever is shown posts as they are edited is signed in. @returns why not */
async function assumeHiddenUser(client: WordPressClient): Promise<CurrentUser | GalleyError> {
  const posts = await requestParsed(client, boundedArray(z.object({ id: idSchema })), {
    path: '/wp/v2/posts',
    query: { context: 'edit', per_page: 1, _fields: 'id' },
    doing: 'verifying the credentials',
    subject: 'post',
  }).catch(asFailure)
  if (posts instanceof GalleyError) return posts
  return {
    id: 0,
    name: client.site.username,
    roles: [],
    capabilities: Object.fromEntries(ASSUMED_CAPABILITIES.map((right) => [right, true])),
    isHidden: true,
  }
}

const currentUserRequest: WordPressRequest = {
  path: '/wp/v2/users/me',
  query: { context: 'edit' },
  doing: 'verifying the credentials',
  subject: 'user',
}

/** Plugins write `1` and `"1"` for a right as well. */
const capabilitiesSchema = boundedRecord(z.unknown(), 5000).transform((rights) =>
  Object.fromEntries(rights.map(([right, has]) => [right, Boolean(has)])),
)

const userSchema = z.object({
  id: idSchema,
  name: labelSchema(),
  roles: boundedArray(labelSchema(), 100).default([]),
  capabilities: capabilitiesSchema,
})

/** How WordPress, and plugins that close its REST API to visitors, answer those whom they do not recognise. */
const VISITOR_CODES = new Set(['not_logged_in', 'rest_api_disabled', 'maintenance_page'])

/**
 * The user that the credentials stand for. Where WordPress sees only a visitor, the reason is looked for.
 * @param certainty `justMade` where WordPress has just made the credentials: right ones taken for none were lost on the way
 */
export async function fetchCurrentUser(
  client: WordPressClient,
  { justMade = false }: { justMade?: boolean } = {},
): Promise<CurrentUser> {
  const shown = await requestParsed(client, userSchema, currentUserRequest).catch(asFailure)
  if (!(shown instanceof GalleyError)) return { ...shown.value, isHidden: false }
  const hides = HIDDEN_USER_CODES.has(shown.code) && refusedAsVisitor(shown) === null
  const hidden = hides ? await assumeHiddenUser(client) : shown
  if (!(hidden instanceof GalleyError)) return hidden
  // Of two refusals that one which says that nobody has signed in.
  const refusal = VISITOR_CODES.has(hidden.code) ? hidden : shown
  if (!VISITOR_CODES.has(refusal.code)) throw refusal
  const reason = await reasonForVisitor(client, refusal, justMade)
  if (!reason) throw refusal
  const { code, ...facts } = reason
  throw wordPressFailure(
    code,
    { site: client.site.name, method: 'GET', doing: currentUserRequest.doing },
    facts,
  )
}

/**
 * `rest_not_logged_in` says little: a wrong password and a header lost on the way look alike (measured on 7.1, 6.8 and 6.1). Only what
 * visitors are shown is asked: plugins count every try with refused credentials, and lock the address after three.
 */
async function reasonForVisitor(
  client: WordPressClient,
  refusal: GalleyError,
  justMade: boolean,
): Promise<{ code: FailureCode; said?: string; username?: string } | null> {
  const forVisitors = refusedAsVisitor(refusal)
  if (forVisitors === null) return null
  const { username, applicationPassword } = client.site
  const index = await readSiteIndex(client)
  if (index && !('application-passwords' in index.authentication))
    return {
      code: believesPlain(client.site.restRoot, index.home) ? 'https_unseen' : 'application_passwords_off',
    }
  if (!looksLikeApplicationPassword(applicationPassword))
    return {
      code: 'password_wrong',
      said: 'this is not an application password, which has 24 letters and digits',
    }
  if (justMade) return { code: 'authorization_stripped' }
  const shown = await hasAuthorPage(client, resolveSiteHome(client.site.restRoot, index?.home ?? ''))
  if (shown === false) return { code: 'username_unknown', username }
  return { code: 'not_logged_in', ...forVisitors, ...(shown ? { username } : {}) }
}

const refusalSchema = z.object({
  status: z.number(),
  wordpress: z.object({ code: z.string(), message: z.string() }).optional(),
})

/** What a plugin says to visitors (401); null where it may be said to everybody. */
function refusedAsVisitor({ code, details }: GalleyError): { said?: string } | null {
  const { data } = refusalSchema.safeParse(details)
  const { wordpress } = data ?? {}
  // Core's own words are in the sentence already.
  const said =
    wordpress && wordpress.code !== 'rest_not_logged_in' ? { said: htmlToText(wordpress.message) } : {}
  return code === 'not_logged_in' || data?.status === 401 ? said : null
}

async function readSiteIndex({ outbound, site }: WordPressClient): Promise<RestIndex | null> {
  const answer = await requestIndex(outbound, site.restRoot, 'none').catch(recoverWith(null))
  return answer?.status === 200 ? parseRestIndex(answer.body) : null
}

/** 24 letters and digits, shown in groups of four (`WP_Application_Passwords::PW_LENGTH`). */
const looksLikeApplicationPassword = (password: string): boolean =>
  /^[a-z0-9]{24}$/i.test(password.replace(/\s/g, ''))
