import '../../../components/rows.css'
import './import.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __, _n, sprintf } from '@wordpress/i18n'
import type { ImportLine, SiteImport } from '../../../api/client.ts'
import { useAddressSearch } from '../../../app/address-search.ts'
import { withNumber } from '../../../components/format.ts'
import { Head } from '../../../components/head.tsx'
import { QueryResult } from '../../../components/states.tsx'
import { Badge, type Tone } from '../../../components/status.tsx'
import { Pager } from '../../../components/table/pager.tsx'
import { importQuery } from '../../../data/sites.ts'

/** The progress of an import, line by line. */
export default function ImportProgress() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const [{ cursor }, setSearch] = useAddressSearch()
  const query = useQuery(importQuery(id, cursor))
  return (
    <QueryResult query={query}>
      {({ data, next_cursor }) => (
        <>
          <Head
            title={data.dry_run ? __('Sites that were tried', 'galley') : __('Import of sites', 'galley')}
            actions={
              <Link className="g-button" to="/sites">
                {__('All sites', 'galley')}
              </Link>
            }
          />
          <Far at={data} />
          <ol className="g-rows g-lines" aria-label={__('Lines', 'galley')}>
            {data.results.map((line) => (
              <li key={line.line} className="g-card g-row">
                <Line line={line} dryRun={data.dry_run} />
              </li>
            ))}
          </ol>
          <Pager cursor={cursor} next={next_cursor} onPage={(next) => setSearch({ cursor: next })} />
        </>
      )}
    </QueryResult>
  )
}

function Far({ at: { lines, waiting, connected, refused, skipped, status, dry_run } }: { at: SiteImport }) {
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
            withNumber(_n('%d would be connected', '%d would be connected', connected, 'galley'), connected)
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
  refused: { label: () => __('Refused', 'galley'), tone: 'bad' },
  skipped: { label: () => __('Skipped', 'galley'), tone: 'neutral' },
} satisfies Record<ImportLine['status'], { label: () => string; tone: Tone }>

const Line = ({ line: { line, status, id, error }, dryRun }: { line: ImportLine; dryRun: boolean }) => (
  <div className="g-row-text">
    <p>
      <strong>
        {
          // translators: %d: the number of a line of a file
          sprintf(__('Line %d', 'galley'), line)
        }
      </strong>{' '}
      <Badge tone={states[status].tone}>
        {dryRun && status === 'connected' ? __('Would be connected', 'galley') : states[status].label()}
      </Badge>
    </p>
    {error && <p>{error.message}</p>}
    {id && !dryRun && (
      <p>
        <Link to="/sites/$id" params={{ id } as never}>
          {__('Open the site', 'galley')}
        </Link>
      </p>
    )}
  </div>
)
