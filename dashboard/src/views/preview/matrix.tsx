import { __, _n, sprintf } from '@wordpress/i18n'
import { useEffect, useRef, useState } from 'react'
import { call, type MatrixRow } from '../../api/client.ts'
import { withNumber } from '../../components/format.ts'
import { Loading } from '../../components/loading.tsx'
import { postStatusInWords } from '../../components/post-words.ts'
import { Message } from '../../components/states.tsx'
import { bySeverity, severityWords } from '../../components/warnings.tsx'
import { Deliver } from './deliver.tsx'
import type { MatrixRequest } from './matrix-form.tsx'
import { PreviewFailure } from './preview-failure.tsx'
import { OutcomeOf, taxonomyInWords } from './words.tsx'

interface MatrixProps {
  ask: MatrixRequest
  /** Of the site that is looked at by itself; this waits meanwhile. */
  looked: string | undefined
  onLook(siteId: string): void
}

/** One document against many sites: what each would make, lose and refuse. */
export function Matrix({ ask, looked, onLook }: MatrixProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { sites, rows, error, done, again } = useMatrix(ask)
  /** As they stood when the person asked for an order. What comes later follows: no row moves while sites answer. */
  const [sorted, setSorted] = useState<MatrixRow[]>([])
  const shown = [...new Set([...sorted.filter((row) => rows.includes(row)), ...rows])]
  const arriving = rows.filter(({ outcome }) => outcome === 'delivered').map(({ site_id }) => site_id)
  if (sites?.length === 0) return <Message title={__('No site has one of these labels', 'galley')} alert />
  return (
    <section className="g-section" aria-labelledby="preview-matrix" hidden={looked !== undefined}>
      <div className="g-head">
        <div>
          <h2 id="preview-matrix" ref={heading} tabIndex={-1}>
            {__('On each site', 'galley')}
          </h2>
          <p role="status">{sites && progress(rows.length, sites.length)}</p>
          <button type="button" className="g-link" onClick={() => setSorted(mostUrgentFirst(rows))}>
            {__('Most urgent first', 'galley')}
          </button>
        </div>
        {sites && (
          <Deliver
            key={arriving.join()}
            ready={done && arriving.length > 0}
            ask={ask}
            siteIds={arriving}
            label={withNumber(
              // translators: %d: how many sites
              _n('Deliver to %d site', 'Deliver to %d sites', arriving.length, 'galley'),
              arriving.length,
            )}
          />
        )}
      </div>
      {sites && rows.length > 0 && (
        <Rows sites={sites} rows={shown} label={__('On each site', 'galley')} back={looked} onLook={onLook} />
      )}
      {error !== undefined && <PreviewFailure error={error} onAgain={again} />}
      {!done && error === undefined && <Loading />}
    </section>
  )
}

const progress = (asked: number, all: number): string =>
  sprintf(
    // translators: 1: how many sites were asked, 2: of how many
    _n('%1$d of %2$d site asked', '%1$d of %2$d sites asked', all, 'galley'),
    asked,
    all,
  )

interface State {
  sites?: NamedSite[]
  rows: MatrixRow[]
  error?: unknown
  done: boolean
}

function useMatrix(ask: MatrixRequest): State & { again(): void } {
  const [state, setState] = useState<State>({ rows: [], done: false })
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is a reason to ask again
  useEffect(() => {
    const stop = new AbortController()
    async function run() {
      setState({ rows: [], done: false })
      const sites = await sitesOf(ask, stop.signal)
      setState({ sites, rows: [], done: false })
      const ids = sites.map(({ id }) => id)
      for await (const more of previewAll(ask, ids, stop.signal))
        setState(({ rows }) => ({ sites, rows: [...rows, ...more], done: false }))
      setState((before) => ({ ...before, done: true }))
    }
    run().catch((error) => {
      if (!stop.signal.aborted) setState((before) => ({ ...before, error, done: true }))
    })
    return () => stop.abort()
  }, [ask, tries])
  return { ...state, again: () => setTries(tries + 1) }
}

const urgency: MatrixRow['outcome'][] = ['unanswered', 'held', 'not_asked', 'delivered']

const mostUrgentFirst = (rows: MatrixRow[]): MatrixRow[] =>
  rows.toSorted((a, b) => urgency.indexOf(a.outcome) - urgency.indexOf(b.outcome))

interface RowsProps {
  sites: NamedSite[]
  rows: MatrixRow[]
  label: string
  /** The opened site; when it is closed, its button has the focus again. */
  back: string | undefined
  onLook(siteId: string): void
}

/** A row for each site. */
function Rows({ sites, rows, label, back, onLook }: RowsProps) {
  const names = new Map(sites.map(({ id, name }) => [id, name]))
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
          {rows.map((row) => (
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
  ...bySeverity(warnings).map(({ severity, message }) => `${severityWords[severity].label()}: ${message}`),
  ...terms
    .filter(({ outcome }) => outcome === 'left_out')
    .map(({ taxonomy, name }) => `${taxonomyInWords(taxonomy)}: ${name}`),
]

/** Rows that are shown at once. */
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

/** Sites of one request: few for a quick first answer, many so that pictures are not fetched for each. */
const AT_A_TIME = 24

/** Sites of one page. */
const PAGE = 100

interface NamedSite {
  id: string
  name: string
}

/** The chosen sites, without duplicates, by name. */
async function sitesOf({ siteIds, labels, all }: MatrixRequest, signal: AbortSignal): Promise<NamedSite[]> {
  const found = new Map<string, NamedSite>()
  const queries = all
    ? [{}]
    : [...(siteIds.length > 0 ? [{ site_id: siteIds }] : []), ...labels.map((label) => ({ label }))]
  for (const query of queries) {
    let cursor: string | undefined
    do {
      const page = await call('listSites', { query: { ...query, limit: PAGE, cursor } }, signal)
      for (const { id, name } of page.data) found.set(id, { id, name })
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }
  return [...found.values()]
}

/** The previews of all sites, some at a time. Sites for which the time was too short are asked again. */
export async function* previewAll(
  { given: { data, sourceId: source_id }, delivery }: MatrixRequest,
  siteIds: string[],
  signal: AbortSignal,
): AsyncGenerator<MatrixRow[]> {
  let left = siteIds
  while (left.length > 0) {
    const [asked, others] = [left.slice(0, AT_A_TIME), left.slice(AT_A_TIME)]
    const { data: rows } = await call(
      'previewMatrix',
      { body: { data, delivery, source_id, site_ids: asked } },
      signal,
    )
    const not = rows.filter(({ outcome }) => outcome === 'not_asked')
    // No site had enough time: another attempt would not help.
    if (not.length === rows.length) return yield rows
    left = [...others, ...not.map(({ site_id }) => site_id)]
    yield rows.filter(({ outcome }) => outcome !== 'not_asked')
  }
}
