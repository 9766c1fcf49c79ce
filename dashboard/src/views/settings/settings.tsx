import './settings.css'
import { useQuery } from '@tanstack/react-query'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { useNotice } from '../../app/notices.tsx'
import { useSession, useSignOut } from '../../app/session-context.ts'
import { Below } from '../../components/below.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Head } from '../../components/head.tsx'
import { roleInWords } from '../../components/roles.ts'
import { describeError, QueryResult } from '../../components/states.tsx'
import { forgetAllPreferences } from '../../components/table/preferences.ts'
import { Time } from '../../components/time.tsx'
import { accountQuery, creditsQuery } from '../../data/accounts.ts'
import { AccountSettings } from './account.tsx'
import '../../components/plain-table.css'
import type { CreditEntry } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { Pager } from '../../components/table/pager.tsx'

/** Account, sessions, credits and browser settings. */
export default function Settings() {
  const query = useQuery(accountQuery())
  return (
    <>
      <Head title={__('Settings', 'galley')} />
      <QueryResult query={query}>{(account) => <AccountSettings account={account} />}</QueryResult>
      <Below queries={[accountQuery()]}>
        <Sessions />
        <Browser />
        <Credits />
      </Below>
    </>
  )
}

/** The preferences in this browser, and a reset. */
function Browser() {
  const notice = useNotice()
  const [kept, setKept] = useState(true)
  function reset() {
    const restore = forgetAllPreferences()
    setKept(false)
    notice({
      text: __('All tables are back to their defaults.', 'galley'),
      action: {
        label: __('Undo', 'galley'),
        run: () => {
          restore()
          setKept(true)
        },
      },
    })
  }
  return (
    <section className="g-card g-section g-settings">
      <h2>{__('This browser', 'galley')}</h2>
      <p className="g-weak">
        {__(
          'Columns, their order and the rows per page are remembered in this browser only. Searches and filters are in the address.',
          'galley',
        )}
      </p>
      <div>
        <Button disabled={!kept} onClick={reset}>
          {__('Reset all tables', 'galley')}
        </Button>
      </div>
    </section>
  )
}

/** The sessions of the account, and signing out everywhere. */
function Sessions() {
  const { key, role, session } = useSession()
  const signOut = useSignOut()
  const notice = useNotice()
  const leave = () => signOut(true).catch((error) => notice({ text: describeError(error).text, tone: 'bad' }))
  return (
    <section className="g-card g-section g-settings">
      <h2>{__('Signed in', 'galley')}</h2>
      <p>
        {sprintf(
          // translators: 1: name of an API key, 2: its last four characters, 3: its role, such as Owner
          __('Signed in with “%1$s” (…%2$s), role %3$s', 'galley'),
          key.name,
          key.last_four,
          roleInWords(role),
        )}
      </p>
      {session && (
        <p className="g-weak">
          {__('Since', 'galley')} <Time at={session.since} exact /> · {__('Until', 'galley')}{' '}
          <Time at={session.until} exact />
        </p>
      )}
      <div>
        <ConfirmButton
          label={__('Sign out everywhere', 'galley')}
          of={key.name}
          question={__('In every browser that was signed in with this key, here too.', 'galley')}
          onConfirm={() => void leave()}
        />
      </div>
    </section>
  )
}

const kinds: Record<CreditEntry['kind'], () => string> = {
  grant: () => __('Granted', 'galley'),
  charge: () => __('Spent', 'galley'),
  refund: () => __('Refunded', 'galley'),
}

/** The changes of the account's credits; their sum is the balance. */
function Credits() {
  const [{ cursor }, setSearch] = useAddressSearch()
  const query = useQuery(creditsQuery({ cursor, limit: 20 }))
  return (
    <section className="g-card g-section" aria-labelledby="credits">
      <h2 id="credits">{__('Credits', 'galley')}</h2>
      <QueryResult query={query}>
        {({ data, balance, unlimited, next_cursor }) => (
          <>
            <p>
              {unlimited
                ? __('Without limit: what is created costs nothing, and is still counted.', 'galley')
                : sprintf(
                    // translators: %s: a number
                    _n('%s credit is left.', '%s credits are left.', balance, 'galley'),
                    formatNumber(balance),
                  )}
            </p>
            {data.length === 0 ? (
              <p className="g-weak">{__('No entries yet.', 'galley')}</p>
            ) : (
              <Entries entries={data} />
            )}
            <Pager cursor={cursor} next={next_cursor} onPage={(next) => setSearch({ cursor: next })} />
          </>
        )}
      </QueryResult>
    </section>
  )
}

const Entries = ({ entries }: { entries: CreditEntry[] }) => (
  <table className="g-plain-table" aria-labelledby="credits">
    <thead>
      <tr>
        <th scope="col">{__('When', 'galley')}</th>
        <th scope="col">{__('What', 'galley')}</th>
        <th scope="col">{__('What for', 'galley')}</th>
        <th scope="col" className="g-number">
          {__('Credits', 'galley')}
        </th>
      </tr>
    </thead>
    <tbody>
      {entries.map(({ id, kind, amount, price, note, created_at }) => (
        <tr key={id}>
          <td>
            <Time at={created_at} />
          </td>
          <th scope="row">{kinds[kind]()}</th>
          <td>{note}</td>
          {/* An account without limit pays nothing: the price is shown in place of the amount. */}
          <td className="g-number">{amount === 0 ? `(${formatNumber(price)})` : formatNumber(amount)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
