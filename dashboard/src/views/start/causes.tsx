import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { __, _n } from '@wordpress/i18n'
import { type Cause, call, type ListedSite } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { withNumber } from '../../components/format.ts'
import { describeError, QueryResult } from '../../components/states.tsx'
import { causesQuery } from '../../data/deliveries.ts'
import { sitesInQuery } from './queries.ts'

/** What needs a person, by cause, with the most deliveries first, and what to do. */
export function Causes() {
  const query = useQuery(causesQuery())
  const problems = useQuery(sitesInQuery('problem')).data?.total ?? 0
  const noCause = query.data?.data.length === 0
  // A cause says what its sites need.
  const needsOwner = useQuery({ ...sitesInQuery('needs_owner'), enabled: noCause }).data?.total ?? 0
  const owners = noCause ? needsOwner : 0
  return (
    <section className="g-section" aria-labelledby="needs-you">
      <h2 id="needs-you">{__('Needs you', 'galley')}</h2>
      <QueryResult query={query}>
        {({ data }) =>
          data.length + problems + owners === 0 ? (
            <p className="g-card g-all-well">
              {__('Nothing. Every document is on its way or delivered.', 'galley')}
            </p>
          ) : (
            <ul className="g-causes">
              {data.map((cause) => (
                <CauseCard key={cause.code} cause={cause} />
              ))}
              {owners > 0 && (
                <SitesCard count={owners} status="needs_owner">
                  {withNumber(
                    // translators: %d: a number of sites
                    _n('%d site needs its owner', '%d sites need their owner', owners, 'galley'),
                    owners,
                  )}
                </SitesCard>
              )}
              {problems > 0 && (
                <SitesCard count={problems} status="problem">
                  {withNumber(
                    // translators: %d: a number of sites
                    _n(
                      '%d site where a check found a problem',
                      '%d sites where a check found a problem',
                      problems,
                      'galley',
                    ),
                    problems,
                  )}
                </SitesCard>
              )}
            </ul>
          )
        }
      </QueryResult>
    </section>
  )
}

interface SitesCardProps {
  count: number
  status: ListedSite['status']
  children: string
}

/** Sites that need a person, whether deliveries wait or not. */
const SitesCard = ({ count, status, children }: SitesCardProps) => (
  <li className="g-card g-cause">
    <h3>{children}</h3>
    <div className="g-actions">
      <Link className="g-button" to="/sites" search={{ status } as never}>
        {withNumber(
          // translators: %d: a number of sites
          _n('Show %d site', 'Show %d sites', count, 'galley'),
          count,
        )}
      </Link>
    </div>
  </li>
)

const SITES_SHOWN = 3

function CauseCard({ cause }: { cause: Cause }) {
  const { code, sentence, todo, count, sites, site_count, filter } = cause
  const mayAct = useMay('deliveries.act')
  const more = site_count - Math.min(sites.length, SITES_SHOWN)
  return (
    <li className="g-card g-cause">
      <div>
        <h3>{sentence}</h3>
        {todo && <p>{todo}</p>}
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
      <div className="g-actions">
        <ConnectAgain cause={cause} />
        {mayAct && <TryAgain filter={filter} />}
        <Link
          className="g-button"
          to="/deliveries"
          search={{ code, status: filter.status.join(',') } as never}
        >
          {withNumber(
            // translators: %d: a number of deliveries
            _n('Show %d delivery', 'Show %d deliveries', count, 'galley'),
            count,
          )}
        </Link>
      </div>
    </li>
  )
}

/** A link to reconnect the sites of a cause: to the only one, or to a list. */
function ConnectAgain({ cause: { code, reconnect, sites, site_count } }: { cause: Cause }) {
  const mayConnect = useMay('sites.change')
  const [only] = sites
  if (!mayConnect || !reconnect || only === undefined) return null
  if (site_count > 1)
    return (
      <Link className="g-button primary" to="/sites" search={{ trouble: code } as never}>
        {withNumber(
          // translators: %d: a number of sites, two or more
          _n('Connect %d site again', 'Connect %d sites again', site_count, 'galley'),
          site_count,
        )}
      </Link>
    )
  return (
    <Link
      className="g-button primary"
      to="/sites/$id"
      params={{ id: only.id } as never}
      search={{ connect: 'again' } as never}
    >
      {__('Connect again', 'galley')}
    </Link>
  )
}

/** Starts a dry run that retries all deliveries of a cause. */
function TryAgain({ filter }: Pick<Cause, 'filter'>) {
  const navigate = useNavigate()
  const notice = useNotice()
  const look = useMutation({
    mutationFn: () =>
      call('createBulk', { body: { action: 'retry', filter, parameters: {}, dry_run: true } }),
    onSuccess: ({ id }) => navigate({ to: '/bulk/$id', params: { id } as never }),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
  })
  return (
    <button type="button" className="g-button" disabled={look.isPending} onClick={() => look.mutate()}>
      {__('Try again', 'galley')}
    </button>
  )
}
