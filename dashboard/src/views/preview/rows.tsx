import { __, _n } from '@wordpress/i18n'
import { useEffect, useRef } from 'react'
import type { MatrixRow } from '../../api/client.ts'
import { withNumber } from '../../components/number.ts'
import { postStatusInWords } from '../../components/post-words.ts'
import type { NamedSite } from './preview-all.ts'
import { OutcomeOf, taxonomyInWords } from './words.tsx'

/** What needs somebody goes first. */
const order: MatrixRow['outcome'][] = ['unanswered', 'held', 'not_asked', 'delivered']

interface RowsProps {
  sites: NamedSite[]
  rows: MatrixRow[]
  label: string
  /** Of the site that is looked at; when that has ended, its button has the focus again. */
  back: string | undefined
  onLook(siteId: string): void
}

/** A row for each site. */
export function Rows({ sites, rows, label, back, onLook }: RowsProps) {
  const names = new Map(sites.map(({ id, name }) => [id, name]))
  const sorted = rows.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  const columns = [
    __('Site', 'galley'),
    __('What happens', 'galley'),
    __('Creates', 'galley'),
    __('Loses or changes', 'galley'),
  ]
  const clicked = useRef<HTMLButtonElement | null>(null)
  useEffect(() => {
    if (back === undefined) clicked.current?.focus()
  }, [back])
  return (
    <div className="g-table">
      <table className="g-matrix" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.site_id}>
              <th scope="row">
                <button
                  type="button"
                  className="g-link"
                  onClick={({ currentTarget }) => {
                    clicked.current = currentTarget
                    onLook(row.site_id)
                  }}
                >
                  {names.get(row.site_id) ?? row.site_id}
                </button>
              </th>
              <td>
                <OutcomeOf outcome={row.outcome} />{' '}
                {row.status?.result && postStatusInWords(row.status.result)}
                {row.error && <p>{row.error.message}</p>}
              </td>
              <td data-label={columns[2]}>
                <List lines={made(row)} />
              </td>
              <td data-label={columns[3]}>
                <List lines={lost(row)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const made = ({ uploads, terms }: MatrixRow): string[] => [
  ...(uploads === 0
    ? []
    : [
        // translators: %d: how many files
        withNumber(_n('%d file', '%d files', uploads, 'galley'), uploads),
      ]),
  ...terms
    .filter(({ outcome }) => outcome === 'create')
    .map(({ taxonomy, name }) => `${taxonomyInWords(taxonomy)}: ${name}`),
]

const lost = ({ warnings, terms }: MatrixRow): string[] => [
  ...warnings.map(({ message }) => message),
  ...terms
    .filter(({ outcome }) => outcome === 'left_out')
    .map(({ taxonomy, name }) => `${taxonomyInWords(taxonomy)}: ${name}`),
]

/** Lines that are seen at once; the others when somebody asks. */
const SEEN = 3

function List({ lines }: { lines: string[] }) {
  if (lines.length === 0) return <span className="g-weak">{__('Nothing', 'galley')}</span>
  const more = lines.slice(SEEN)
  return (
    <>
      <ul>
        {lines.slice(0, SEEN).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {more.length > 0 && (
        <details>
          <summary>
            {withNumber(
              // translators: %d: how many lines beside those that are seen
              _n('and %d more', 'and %d more', more.length, 'galley'),
              more.length,
            )}
          </summary>
          <ul>
            {more.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
