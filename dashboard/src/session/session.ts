import { __ } from '@wordpress/i18n'
import { type Answer, call } from '../api/client.ts'

/** Who is signed in, and what it may do. */
export type Session = Answer<'getSession'>['data']

/** What a key or session may be allowed to do; the names are the API's (docs/api.md). */
export type Right =
  | 'session'
  | 'accounts.manage'
  | 'account.read'
  | 'account.change'
  | 'keys.manage'
  | 'audit.read'
  | 'sites.read'
  | 'sites.change'
  | 'sources.read'
  | 'sources.change'
  | 'events.read'
  | 'deliveries.read'
  | 'deliveries.act'
  | 'deliveries.create'
  | 'preview'
  | 'jobs.read'
  | 'jobs.list'
  | 'jobs.create'
  | 'notifications.read'
  | 'notifications.change'
  | 'receivers.change'

export const readSession = async (): Promise<Session> => (await call('getSession')).data

/** Characters that no header can carry: a browser does not send them. */
const UNSENDABLE = /[^\x20-\xff]/

/**
 * Trades a key for a cookie that no script can read; the key itself is kept nowhere.
 *
 * @throws Error with words for a person, where it cannot be a key
 */
export async function signIn(key: string): Promise<Session> {
  if (UNSENDABLE.test(key))
    throw new Error(
      __(
        'This is not an API key: it has a character that no key has, perhaps one that cannot be seen. Copy it again.',
        'galley',
      ),
    )
  return (await call('beginSession', { headers: { authorization: `Bearer ${key}` } })).data
}

export const signOut = (everywhere: boolean) =>
  call('endSession', { query: { everywhere: everywhere ? 'true' : 'false' } })
