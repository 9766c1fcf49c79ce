import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { addressOf } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Head } from '../../components/head.tsx'
import { Rows } from '../../components/rows.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { dayAfter, dayOf } from '../../components/time.tsx'
import { type AuditFilter, auditQuery } from '../../data/audit.ts'
import { Entry } from './entry.tsx'
import { Filters } from './filters.tsx'

/** Who did what to what, the newest first. What is looked for stands in the address. */
export default function Audit() {
  const [search] = useAddressSearch()
  const { cursor, action, subject_kind, subject_id, key_id, since, until } = search
  // Whoever opens the page often would see little else; whoever looks for an action or an object may look for these.
  const narrowed = action !== undefined || subject_kind !== undefined
  const sessions = search.sessions === undefined ? narrowed : search.sessions === 'true'
  const filter: AuditFilter = {
    ...{ action, subject_kind, subject_id, key_id },
    since: dayOf(since),
    until: dayAfter(until),
  }
  const looking = Object.values(filter).some((value) => value !== undefined)
  if (!sessions) filter.sessions = 'false'
  const query = useQuery(auditQuery({ ...filter, limit: 50, cursor }))
  const file = (
    <a className="g-button" href={addressOf('exportAuditEntries', { query: { ...filter, format: 'csv' } })}>
      {__('Download as CSV', 'galley')}
    </a>
  )
  return (
    <>
      <Head title={__('Audit log', 'galley')} actions={file}>
        {__('Who did what to what. No entry is ever changed or removed.', 'galley')}
      </Head>
      <Filters looking={looking} sessions={sessions} />
      <Rows
        query={query}
        label={__('Audit log', 'galley')}
        empty={
          looking ? (
            <Empty title={__('Nothing matches', 'galley')} />
          ) : (
            <Empty title={__('Nothing has been done yet', 'galley')} />
          )
        }
      >
        {(entry) => <Entry entry={entry} />}
      </Rows>
    </>
  )
}
