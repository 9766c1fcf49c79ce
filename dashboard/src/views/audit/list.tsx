import '../../components/panel.css'
import '../../components/plain-table.css'
import './audit.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { type AuditEntry, addressOf } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { bulkInWords, countOf } from '../../components/bulk/words.ts'
import { Checkbox, Field, Select } from '../../components/form.tsx'
import { Head } from '../../components/head.tsx'
import { Message, QueryResult } from '../../components/states.tsx'
import { Pager } from '../../components/table/pager.tsx'
import { dayAfter, dayOf, Time } from '../../components/time.tsx'
import { type AuditFilter, auditQuery } from '../../data/accounts.ts'
import { eventInWords } from '../outcomes/words.tsx'
import { actionInWords, actionsInWords, kindInWords, kindsInWords } from './words.ts'

/** The audit log, the newest first. Its filters are in the address. */
export default function Audit() {
  const [search, setSearch] = useAddressSearch()
  const { cursor, action, subject_kind, subject_id, key_id, since, until } = search
  // Sign-ins would be most of the list. They are shown with a filter, or on request.
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
      <QueryResult query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 && cursor === undefined ? (
              <Message
                title={looking ? __('Nothing matches', 'galley') : __('Nothing has been done yet', 'galley')}
              />
            ) : (
              <Entries entries={data} />
            )}
            <Pager cursor={cursor} next={next_cursor} onPage={(next) => setSearch({ cursor: next })} />
          </>
        )}
      </QueryResult>
    </>
  )
}

/** Kinds of objects with a page of their own. */
const pages: Readonly<Record<string, string>> = {
  site: '/sites/$id',
  delivery: '/deliveries/$id',
  notification: '/outcomes/$id',
  job: '/documents/$id',
  bulk: '/bulk/$id',
  import: '/sites/import/$id',
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <table className="g-plain-table g-card g-audit" aria-label={__('Audit log', 'galley')}>
      <thead>
        <tr>
          <th scope="col">{__('Action', 'galley')}</th>
          <th scope="col">{__('Object', 'galley')}</th>
          <th scope="col">{__('Who', 'galley')}</th>
          <th scope="col">{__('When', 'galley')}</th>
          <th scope="col">{__('Details', 'galley')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </tbody>
    </table>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, actor, key_id, action, subject_kind, subject_id, details } = entry
  return (
    <tr>
      <th scope="row">{actionInWords(action) ?? <code dir="ltr">{action}</code>}</th>
      <td>
        {kindInWords(subject_kind) ?? subject_kind} <Subject entry={entry} />
      </td>
      <td>
        {key_id ? (
          <Link
            to="/audit"
            search={{ key_id } as never}
            title={sprintf(
              // translators: %s: the name of an API key
              __('Everything that %s did', 'galley'),
              actor,
            )}
          >
            {actor}
          </Link>
        ) : (
          actor
        )}
      </td>
      <td>
        <Time at={at} exact />
      </td>
      <td>
        <details>
          <summary>{__('Details', 'galley')}</summary>
          <pre dir="ltr">{JSON.stringify({ action, subject_id, ...details }, null, 2)}</pre>
        </details>
      </td>
    </tr>
  )
}

/** The name of an object, which leads to its page. One without a name has only a kind; its id is in the details. */
function Subject({ entry }: { entry: AuditEntry }) {
  const { subject_kind: kind, subject_id: id, subject_of } = entry
  const name = subjectInWords(entry)
  // A document that was sent to several sites is no single delivery.
  const to = kind === 'delivery' && subject_of === null ? undefined : pages[kind]
  if (name === undefined || id === null) return null
  const shown = <bdi title={id}>{name}</bdi>
  if (to === undefined) return shown
  return (
    <Link to={to} params={{ id } as never}>
      {shown}
    </Link>
  )
}

/** What an object is called; undefined for one without a name, such as a session, and for one that is gone. */
function subjectInWords(entry: AuditEntry): string | undefined {
  const { subject_kind: kind, subject_name: name, subject_of: of, subject_items: items } = entry
  if (kind === 'import') return items === null ? undefined : countOf('sites', items)
  if (kind === 'delivery' && of !== null) return `${name ?? __('(no title)', 'galley')} · ${of}`
  if (name === null || name === '') return undefined
  if (kind === 'bulk') return bulkInWords(name, items)
  if (kind === 'notification') return [eventInWords(name), ...(of === null ? [] : [of])].join(' · ')
  return name
}

interface FiltersProps {
  looking: boolean
  /** Whether sign-ins and sign-outs are shown. */
  sessions: boolean
}

/** The filters of the log. */
function Filters({ looking, sessions }: FiltersProps) {
  const [{ action = '', subject_kind = '', since = '', until = '' }, setSearch] = useAddressSearch()
  const asked = { action, subject_kind, since, until }
  const address = JSON.stringify(asked)
  const [typed, setTyped] = useState(asked)
  const [typedAt, setTypedAt] = useState(address)
  // The fields follow the address. They are not remounted, so that the focus stays.
  if (typedAt !== address) {
    setTypedAt(address)
    setTyped(asked)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    setSearch(typed)
  }

  const line = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (value: string) => setTyped((before) => ({ ...before, [name]: value })),
  })
  const any = { '': __('Everything', 'galley') }
  return (
    <form className="g-filters" aria-label={__('Audit log', 'galley')} onSubmit={submit}>
      <Select
        label={__('Action', 'galley')}
        options={{ ...any, ...known(action), ...actionsInWords() }}
        {...line('action')}
      />
      <Select
        label={__('Object', 'galley')}
        options={{ ...any, ...known(subject_kind), ...kindsInWords() }}
        {...line('subject_kind')}
      />
      <Field label={__('From', 'galley')} type="date" {...line('since')} />
      <Field label={__('To', 'galley')} type="date" {...line('until')} />
      <Checkbox
        label={__('Signing in and out, too', 'galley')}
        checked={sessions}
        onChange={(checked) => setSearch({ sessions: String(checked) })}
      />
      <div className="g-actions">
        <button type="submit" className="g-button">
          {__('Filter', 'galley')}
        </button>
        {looking && <Link to="/audit">{__('Show all', 'galley')}</Link>}
      </div>
    </form>
  )
}

/** The address may contain a value of a newer Galley. */
const known = (name: string): Record<string, string> => (name === '' ? {} : { [name]: name })
