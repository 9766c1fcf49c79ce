import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { __, _n, sprintf } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import { type Cause, call, type SiteCause } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { countOf } from '../../components/bulk/words.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { formatBounded, withNumber } from '../../components/format.ts'
import { QueryResult } from '../../components/states.tsx'
import { goesOnByItself } from '../../components/status.tsx'
import { clock, NextTry } from '../../components/time.tsx'
import { type BulkRequest, bulkQuery } from '../../data/bulk.ts'
import { causesQuery } from '../../data/deliveries.ts'
import { siteStatesQuery } from '../../data/sites.ts'
import { unusableQuery } from '../../data/sources.ts'
import { UnusableCard } from '../sources/unusable.tsx'

/** The sites that are down, and what needs a person, by cause: with the most sites or deliveries first. */
export function Causes() {
  const [{ label }] = useAddressSearch()
  const sites = useQuery(siteStatesQuery({ label }))
  const deliveries = useQuery(causesQuery({ label }))
  // A sender is of no client alone.
  const unusable = useQuery({ ...unusableQuery(), enabled: useMay('sources.read') && label === undefined })
  const senders = label === undefined ? (unusable.data?.data ?? []) : []
  const [checked, setChecked] = useState<Checked>()
  const onCheck = (cause: SiteCause) => setChecked({ cause, label })
  return (
    <QueryResult query={sites}>
      {({ causes }) => {
        const down = causes.filter(({ state }) => state === 'down')
        const attention = causes.filter(({ state }) => state !== 'down')
        return (
          <>
            {down.length > 0 && (
              <section className="g-section" aria-labelledby="down">
                <h2 id="down">{__('Down', 'galley')}</h2>
                <p className="g-weak g-causes-lead">{goesOnByItself()}</p>
                <ul className="g-causes">
                  {down.map((cause) => (
                    <SiteCauseCard key={cause.code} cause={cause} />
                  ))}
                </ul>
              </section>
            )}
            <section className="g-section" aria-labelledby="attention">
              <h2 id="attention">{__('Needs your attention', 'galley')}</h2>
              <div role="status">
                {checked && checked.label === label && !causes.some(isSame(checked.cause)) && (
                  <p className="g-card g-section">{overInWords(checked.cause, causes)}</p>
                )}
              </div>
              <QueryResult query={deliveries}>
                {({ data, more }) => {
                  const others = data.filter((cause) => !isCauseOfSites(cause, causes))
                  if (attention.length + others.length + senders.length === 0 && !unusable.isLoading)
                    return more ? (
                      <NotAllRead label={label} />
                    ) : (
                      <p className="g-card g-all-well">
                        {down.length > 0
                          ? __('Nothing. Galley does the rest by itself.', 'galley')
                          : __('Nothing. Every document is on its way or delivered.', 'galley')}
                      </p>
                    )
                  return (
                    <ul className="g-causes">
                      {attention.map((cause) => (
                        <SiteCauseCard key={`${cause.state} ${cause.code}`} cause={cause} onCheck={onCheck} />
                      ))}
                      {others.map((cause) => (
                        <CauseCard key={cause.code} cause={cause} more={more} />
                      ))}
                      {senders.map((source) => (
                        <UnusableCard key={source.id} source={source} />
                      ))}
                    </ul>
                  )
                }}
              </QueryResult>
            </section>
          </>
        )
      }}
    </QueryResult>
  )
}

/** Nothing was found among the newest of what waits, and the list looks further. */
const NotAllRead = ({ label }: { label: string | undefined }) => (
  <p className="g-card">
    {__('Nothing among the newest deliveries that wait. There may be more.', 'galley')}{' '}
    <Link to="/deliveries" search={{ status: 'held,failed', label } as never}>
      {__('Look further', 'galley')}
    </Link>
  </p>
)

/** A cause whose sites were checked from its card, which goes when none has it any more. */
interface Checked {
  cause: SiteCause
  /** Of the client that was shown. */
  label: string | undefined
}

const isSame =
  ({ state, code }: SiteCause) =>
  (other: SiteCause): boolean =>
    other.state === state && other.code === code

/** What became of a cause that no site has any more: what its sites have instead, or nothing. */
function overInWords({ sentence, sites }: SiteCause, causes: readonly SiteCause[]): string {
  const ids = new Set(sites.map(({ id }) => id))
  const found = causes.find((cause) => cause.sites.some(({ id }) => ids.has(id)))
  // translators: %s: a problem that is over, as a sentence
  if (found === undefined) return sprintf(__('This is over: %s', 'galley'), sentence)
  return sprintf(
    // translators: 1: a problem that is over, as a sentence. 2: the problem that there is instead, as a sentence
    __('The problem has changed. Before: %1$s Now: %2$s', 'galley'),
    sentence,
    found.sentence,
  )
}

/** Whether the sites' own causes show why these deliveries wait, on each of their sites. */
const isCauseOfSites = ({ code, site_count }: Cause, causes: readonly SiteCause[]): boolean =>
  causes.reduce((sum, cause) => sum + (cause.code === code ? cause.site_count : 0), 0) >= site_count

interface CardProps {
  sentence: ReactNode
  todo: string | null
  cause: Pick<Cause | SiteCause, 'sites' | 'site_count'>
  /** What is known beside it. */
  facts?: ReactNode
  /** Links and buttons. */
  actions: ReactNode
}

const SITES_SHOWN = 3

function Card({ sentence, todo, cause: { sites, site_count }, facts, actions }: CardProps) {
  const more = site_count - Math.min(sites.length, SITES_SHOWN)
  return (
    <li className="g-card g-cause">
      <div>
        <h3>{sentence}</h3>
        {todo && <p>{todo}</p>}
        {facts && <p>{facts}</p>}
        <p className="g-weak">
          {sites.slice(0, SITES_SHOWN).map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link to="/sites/$id" params={{ id } as never}>
                {name ?? id}
              </Link>
            </span>
          ))}
          {more > 0 &&
            withNumber(
              // translators: %d: a number of sites
              _n(' and %d other site', ' and %d other sites', more, 'galley'),
              more,
            )}
        </p>
      </div>
      <div className="g-actions">{actions}</div>
    </li>
  )
}

/** Sites that do not work for one cause. */
function SiteCauseCard({ cause, onCheck }: { cause: SiteCause; onCheck?: (cause: SiteCause) => void }) {
  const { state, sentence, todo, reconnect, site_count, waiting, waiting_more: more, since, next_try } = cause
  const [{ label }] = useAddressSearch()
  const filter = { ...cause.filter, ...(label && { label }) }
  const mayChange = useMay('sites.change') && state !== 'down'
  return (
    <Card
      sentence={
        <>
          {countOf('sites', site_count)}
          {': '}
          {sentence}
        </>
      }
      todo={state === 'down' ? null : todo}
      cause={cause}
      facts={
        <>
          {/* translators: %s: a time of day, or a date with it */}
          {since && sprintf(__('Since %s', 'galley'), clock(since))}
          {waiting > 0 &&
            // translators: %d: a number of documents
            ` · ${_n('%d document waits', '%d documents wait', waiting, 'galley').replace('%d', formatBounded({ count: waiting, more }))}`}
          {next_try && (
            <>
              {' · '}
              <NextTry at={next_try} />
            </>
          )}
        </>
      }
      actions={
        <>
          {mayChange && reconnect && <ConnectAgain cause={{ ...cause, filter }} />}
          {mayChange && !reconnect && <CheckAgain filter={filter} onStart={() => onCheck?.(cause)} />}
          <LinkButton to="/sites" search={filter}>
            {withNumber(
              // translators: %d: a number of sites
              _n('Show %d site', 'Show %d sites', site_count, 'galley'),
              site_count,
            )}
          </LinkButton>
        </>
      }
    />
  )
}

/** Deliveries that wait for a person, or have failed, for one cause. @param more not all were counted */
function CauseCard({ cause, more }: { cause: Cause; more: boolean }) {
  const { code, sentence, todo, count, newest, filter } = cause
  const [{ label }] = useAddressSearch()
  const mayAct = useMay('deliveries.act')
  return (
    <Card
      sentence={sentence}
      todo={todo}
      cause={cause}
      facts={more && __('There may be more.', 'galley')}
      actions={
        <>
          {mayAct &&
            retriesOf(code).map(({ label, parameters }) => (
              <Bulk
                key={label}
                request={{ action: 'retry', filter, parameters, dry_run: true }}
                label={label}
              />
            ))}
          {EDITED.has(code) && count === 1 && (
            <LinkButton primary to={`/deliveries/${newest}`}>
              {__('Compare the texts', 'galley')}
            </LinkButton>
          )}
          <LinkButton to="/deliveries" search={{ code, status: filter.status.join(','), label }}>
            {withNumber(
              // translators: %d: a number of deliveries
              _n('Show %d delivery', 'Show %d deliveries', count, 'galley'),
              count,
            )}
          </LinkButton>
        </>
      }
    />
  )
}

/** Documents that lose something go on only with a decision. */
const retriesOf = (code: string) => {
  if (EDITED.has(code)) return []
  return code === 'content_lost'
    ? [
        { label: __('Deliver anyway', 'galley'), parameters: { on_loss: 'publish' as const } },
        { label: __('Deliver as drafts', 'galley'), parameters: { on_loss: 'draft' as const } },
      ]
    : [{ label: __('Try again', 'galley'), parameters: {} }]
}

/** Edited posts wait for a decision about their texts, so that a retry is held again. */
const EDITED: ReadonlySet<string> = new Set(['post_changed', 'post_replaced'])

/** Leads to where the only site is connected again, or to links for the owners of several. */
function ConnectAgain({ cause: { filter, sites, site_count } }: { cause: SiteCause }) {
  const [only] = sites
  if (site_count > 1)
    return (
      <LinkButton primary to="/sites" search={{ ...filter, connect: 'owners' }}>
        {withNumber(
          // translators: %d: a number of sites, two or more
          _n('Connect %d site again', 'Connect %d sites again', site_count, 'galley'),
          site_count,
        )}
      </LinkButton>
    )
  return (
    <LinkButton primary to={`/sites/${only?.id}`} search={{ connect: 'again' }}>
      {__('Connect again', 'galley')}
    </LinkButton>
  )
}

/** Checks sites again, and says here how far that is. What is found changes the card. */
function CheckAgain({ filter, onStart }: { filter: BulkRequest['filter']; onStart: () => void }) {
  const start = useChange({
    changes: [],
    mutationFn: () =>
      call('createBulk', {
        body: { action: 'check', filter, parameters: {}, dry_run: false } as BulkRequest,
      }),
    onMutate: onStart,
  })
  const id = start.data?.id
  const { data: job } = useQuery({ ...bulkQuery(id ?? ''), enabled: id !== undefined })
  const { matched = 0, done = 0 } = job ?? {}
  // translators: %s: a count with its noun, such as 3 sites
  const result = done > 0 ? __('Checked: %s', 'galley') : __('Could not be checked: %s', 'galley')
  const running = start.isPending || (id !== undefined && (job?.ended_at ?? null) === null)
  return (
    <>
      <span role="status">
        {id !== undefined && (
          <Link to="/bulk/$id" params={{ id } as never}>
            {running ? __('Checking…', 'galley') : sprintf(result, countOf('sites', done || matched))}
          </Link>
        )}
      </span>
      <Button disabled={running} onClick={() => start.mutate()}>
        {__('Check again', 'galley')}
      </Button>
    </>
  )
}

/** Starts a bulk job, and shows it. */
function Bulk({ request, label }: { request: BulkRequest; label: string }) {
  const navigate = useNavigate()
  const start = useChange({
    changes: [],
    mutationFn: () => call('createBulk', { body: request }),
    onSuccess: ({ id }) => navigate({ to: '/bulk/$id', params: { id } as never }),
  })
  return (
    <Button disabled={start.isPending} onClick={() => start.mutate()}>
      {label}
    </Button>
  )
}
