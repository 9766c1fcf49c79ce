import { __ } from '@wordpress/i18n'
import { type Answer, call } from '../api/client.ts'

/** The current session: its account, key and rights. */
export type Session = Answer<'getSession'>['data']

/** A right of a key or session, by its name in the API (docs/api.md). */
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

/** Characters that a header cannot carry. */
const UNSENDABLE = /[^\x20-\xff]/

/**
 * Exchanges a key for a cookie that scripts cannot read. The key is not stored.
 *
 * @throws Error with a message for the person, when the text cannot be a key
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
