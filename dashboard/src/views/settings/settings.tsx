import './settings.css'
import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { Head } from '../../components/head.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { accountQuery } from '../../data/accounts.ts'
import { AccountSettings } from './account.tsx'
import { Browser } from './browser.tsx'
import { Credits } from './credits.tsx'
import { Sessions } from './sessions.tsx'

/** The account's own settings, the sessions, and what this browser remembers. */
export default function Settings() {
  const query = useQuery(accountQuery())
  return (
    <>
      <Head title={__('Settings', 'galley')} />
      <QueryResult query={query}>{(account) => <AccountSettings account={account} />}</QueryResult>
      <Sessions />
      <Browser />
      <Credits />
    </>
  )
}
