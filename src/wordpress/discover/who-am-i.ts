import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient, type WordPressRequest } from '../client/index.ts'
import { type FailureCode, failure } from '../failures/index.ts'
import { id, label, listOf, membersOf } from '../fields.ts'
import type { CurrentUser } from '../types.ts'
import { type RestIndex, restIndexSchema } from './index-route.ts'
import { showsUser } from './known-user.ts'
import { tryXmlRpc } from './xml-rpc.ts'

const ASKING = { doing: 'proving the credentials', subject: 'user' } as const

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
const UNRECOGNISED = new Set(['not_logged_in', 'rest_api_disabled'])

/**
 * The user that the credentials stand for, with its capabilities. Public routes answer visitors too and
 * prove nothing; this one cannot. Where WordPress sees only a visitor, the reason is looked for.
 */
export async function whoAmI(client: WordPressClient): Promise<CurrentUser> {
  try {
    const { value } = await read(client, userSchema, request)
    return value
  } catch (error) {
    if (!(error instanceof GalleyError) || !UNRECOGNISED.has(error.code)) throw error
    const reason = await reasonForVisitor(client, error.code)
    if (!reason) throw error
    const { code, ...facts } = reason
    throw failure(code, { site: client.site.name, method: 'GET', ...ASKING }, facts)
  }
}

interface Reason {
  code: FailureCode
  said?: string
  found?: string
}

/**
 * `rest_not_logged_in` says little: WordPress checks an application password only after its error could
 * still be reported, unless a plugin asks for the user earlier, so a wrong password and a header lost on the
 * way look alike (measured on 7.1, 6.8 and 6.1). XML-RPC takes the credentials in the body and tells them apart.
 */
async function reasonForVisitor(client: WordPressClient, code: string): Promise<Reason | null> {
  const index = await readSiteIndex(client)
  if (index && !('application-passwords' in index.authentication))
    return { code: 'application_passwords_off' }
  const verdict = await tryXmlRpc(client, index?.url)
  if (verdict === 'refused') {
    const { username } = client.site
    return (await showsUser(client)) === false
      ? { code: 'username_unknown', found: username }
      : { code: 'password_wrong' }
  }
  if (verdict === 'unknown' || code !== 'not_logged_in') return null
  return looksLikeApplicationPassword(client.site.applicationPassword)
    ? { code: 'authorization_stripped' }
    : {
        code: 'password_wrong',
        said: 'this is the login password of the account, not an application password',
      }
}

/** The index of the REST API; `null` where it is closed. */
async function readSiteIndex(client: WordPressClient): Promise<RestIndex | null> {
  try {
    const { value } = await read(client, restIndexSchema, { path: '/', ...ASKING })
    return value
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}

/** 24 letters and digits, shown in groups of four (`WP_Application_Passwords::PW_LENGTH`). */
const looksLikeApplicationPassword = (password: string): boolean =>
  /^[a-z0-9]{24}$/i.test(password.replace(/\s/g, ''))
