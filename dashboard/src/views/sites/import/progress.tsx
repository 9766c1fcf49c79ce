import '../../../components/table/table.css'
import './import.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useDeferredValue, useState } from 'react'
import { UTF8_BOM } from '../../../../../src/lib/csv.ts'
import { formatLabels } from '../../../../../src/lib/label-list.ts'
import type { ImportLine, SiteImport } from '../../../api/client.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { withNumber } from '../../../components/format.ts'
import { Head } from '../../../components/head.tsx'
import { QueryResult } from '../../../components/states.tsx'
import { Badge, type State, type Tone } from '../../../components/status.tsx'
import { importQuery } from '../../../data/sites.ts'
import { currentLocale } from '../../../i18n.ts'
import { ImportForm } from './form.tsx'
import { fileOf, isFileKept } from './kept-files.ts'

/** The progress of an import: what failed by its cause, then what was skipped and connected. */
export default function ImportProgress() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(importQuery(id))
  return (
    <QueryResult query={query}>
      {(data) => (
        <>
          <Head
            title={data.dry_run ? __('Sites that were tried', 'galley') : __('Import of sites', 'galley')}
            actions={<LinkButton to="/sites">{__('All sites', 'galley')}</LinkButton>}
          />
          <Far at={data} />
          {data.status === 'done' && data.refused > 0 && <Again key={id} id={id} lines={data.results} />}
          <Results lines={data.results} />
        </>
      )}
    </QueryResult>
  )
}

/** The lines that failed: to be corrected here, at once where their passwords are still known, or in a file. */
function Again({ id, lines }: { id: string; lines: ImportLine[] }) {
  const isKept = isFileKept(id)
  const [open, setOpen] = useState(isKept)
  const failed = lines.filter(({ status }) => status === 'refused')
  const csv = fileOf(id, failed)
  return (
    <section className="g-card g-section g-far">
      <h2>
        {
          // translators: %d: how many lines of a file
          withNumber(_n('%d line failed', '%d lines failed', failed.length, 'galley'), failed.length)
        }
      </h2>
      {!isKept && (
        <p className="g-weak">
          {__('Galley keeps no passwords of lines that were tried: fill them in again.', 'galley')}
        </p>
      )}
      <div className="g-actions">
        {!open && (
          <Button primary onClick={() => setOpen(true)}>
            {__('Correct these lines', 'galley')}
          </Button>
        )}
        <a
          className="g-button"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(UTF8_BOM + csv)}`}
          download="failed-sites.csv"
        >
          {__('Download them (CSV)', 'galley')}
        </a>
      </div>
      {open && <ImportForm lines={csv} onCancel={() => setOpen(false)} />}
    </section>
  )
}

interface LineGroup {
  /** Different for each. */
  key: string
  title: string
  tone: Tone
  /** What the server says of each of its lines, where that is the same. */
  said: string | undefined
  lines: ImportLine[]
}

/** The words for a cause; of others, what the server says of the first line. */
const causes: Readonly<Record<string, () => string>> = {
  INVALID_REQUEST: () => __('The line has a mistake', 'galley'),
  NAMED_TWICE: () => __('Named twice in the file', 'galley'),
  CONNECTED_ALREADY: () => __('Connected already', 'galley'),
  SITE_CONNECTED_ALREADY: () => __('Connected already', 'galley'),
}

const order: ImportLine['status'][] = ['refused', 'skipped', 'waiting', 'would_connect', 'connected']

function groupsOf(lines: readonly ImportLine[]): LineGroup[] {
  const groups = new Map<string, LineGroup>()
  for (const line of lines) {
    const { status, error, site } = line
    const { label, tone } = states[status]
    const said = error && withoutSite(error.message, site)
    const cause = error && (causes[error.code]?.() ?? said?.split(/(?<=\.) /)[0])
    const key = `${status} ${error === undefined ? '' : (causes[error.code]?.() ?? error.code)}`
    const group = groups.get(key) ?? { key, tone, title: cause ?? label(), said, lines: [] }
    if (group.said !== said) group.said = undefined
    group.lines.push(line)
    groups.set(key, group)
  }
  const rank = ({ lines: [line] }: LineGroup) => order.indexOf(line?.status ?? 'waiting')
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.lines.length - a.lines.length)
}

/** A sentence about a site, which it calls by its address, as one about all that have this cause. */
function withoutSite(message: string, { url = '' }: Readonly<Record<string, string>> = {}): string {
  const host = url.replace(/^https?:\/\//, '').replace(/\/.*$/, '')
  return [url, host]
    .reduce((text, one) => (one ? text.replaceAll(one, '…') : text), message)
    .replace(/^…/, __('The site', 'galley'))
}

/** The lines by cause, with those alone in which the search is found. */
function Results({ lines }: { lines: ImportLine[] }) {
  const [search, setSearch] = useState('')
  const sought = useDeferredValue(search.trim().toLowerCase())
  const found = lines.filter((line) =>
    [
      ...Object.values(line.site ?? {}),
      ...(line.labels ?? []),
      line.error?.message ?? '',
      `${line.line}`,
    ].some((text) => text.toLowerCase().includes(sought)),
  )
  return (
    <section aria-label={__('Lines', 'galley')}>
      <input
        className="g-search g-section"
        type="search"
        aria-label={__('Search', 'galley')}
        placeholder={__('Search', 'galley')}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {groupsOf(found).map(({ key, title, tone, said, lines: inGroup }) => (
        <details
          key={key}
          className="g-card g-section g-lines"
          open={/^(refused|waiting)/.test(key) || sought !== ''}
        >
          <summary>
            <Badge tone={tone}>{new Intl.NumberFormat(currentLocale()).format(inGroup.length)}</Badge> {title}
          </summary>
          {said !== undefined && said !== title && (
            <p>{said.startsWith(title) ? said.slice(title.length) : said}</p>
          )}
          <ul>
            {inGroup.map((line) => (
              <Line key={line.line} line={line} brief={said !== undefined} />
            ))}
          </ul>
        </details>
      ))}
      {found.length === 0 && <p>{__('Nothing matches. Change the search.', 'galley')}</p>}
    </section>
  )
}

function Far({
  at: { lines, waiting, connected, would_connect, refused, skipped, status, dry_run },
}: {
  at: SiteImport
}) {
  const tried = lines - waiting
  return (
    <section className="g-card g-section g-far">
      <h2>{status === 'done' ? __('Done', 'galley') : __('Under way', 'galley')}</h2>
      {status === 'running' && (
        <progress aria-label={__('Progress', 'galley')} max={Math.max(lines, 1)} value={tried} />
      )}
      <p aria-live="polite">
        {sprintf(
          // translators: 1: how many have had their turn; 2: how many there are
          __('%1$d of %2$d', 'galley'),
          tried,
          lines,
        )}
        {' · '}
        {dry_run
          ? // translators: %d: how many sites
            withNumber(
              _n('%d would be connected', '%d would be connected', would_connect, 'galley'),
              would_connect,
            )
          : // translators: %d: how many sites
            withNumber(_n('%d connected', '%d connected', connected, 'galley'), connected)}
        {refused > 0 &&
          // translators: %d: how many sites
          ` · ${withNumber(_n('%d refused', '%d refused', refused, 'galley'), refused)}`}
        {skipped > 0 &&
          // translators: %d: how many sites
          ` · ${withNumber(_n('%d skipped', '%d skipped', skipped, 'galley'), skipped)}`}
      </p>
    </section>
  )
}

const states = {
  waiting: { label: () => __('Waits for its turn', 'galley'), tone: 'neutral' },
  connected: { label: () => __('Connected', 'galley'), tone: 'good' },
  would_connect: { label: () => __('Would be connected', 'galley'), tone: 'good' },
  refused: { label: () => __('Refused', 'galley'), tone: 'bad' },
  skipped: { label: () => __('Skipped', 'galley'), tone: 'neutral' },
} satisfies Record<ImportLine['status'], State>

interface LineProps {
  line: ImportLine
  /** What the server says of it stands above. */
  brief: boolean
}

const Line = ({ line: { line, id, site = {}, labels = [], error }, brief }: LineProps) => (
  <li>
    <strong>
      {site.name ??
        site.url ??
        // translators: %d: the number of a line of a file
        sprintf(__('Line %d', 'galley'), line)}
    </strong>{' '}
    {site.name && <span dir="ltr">{site.url}</span>}{' '}
    <span className="g-weak">
      {site.url !== undefined && sprintf(__('Line %d', 'galley'), line)}
      {site.username && ` · ${site.username}`}
      {labels.length > 0 && ` · ${formatLabels(labels)}`}
    </span>{' '}
    {id && (
      <Link to="/sites/$id" params={{ id } as never}>
        {__('Open the site', 'galley')}
      </Link>
    )}
    {error && !brief && <p>{error.message}</p>}
  </li>
)
