import './bulk.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { type BulkJob, call } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Below } from '../../components/below.tsx'
import { bulkActions, bulkInWords, countOf } from '../../components/bulk/words.ts'
import { Button } from '../../components/button.tsx'
import { formatBounded } from '../../components/format.ts'
import { Head } from '../../components/head.tsx'
import { QueryResult } from '../../components/states.tsx'
import { Badge, DeliveryStatus, deliveryStates } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { type BulkRequest, bulkQuery } from '../../data/bulk.ts'
import { countsQuery } from '../../data/deliveries.ts'
import { addressFor } from '../deliveries/list-query.ts'
import { Items } from './items.tsx'
import { BulkStatus, Counts } from './job.tsx'
import { JobInWords } from './job-in-words.tsx'

/** One bulk job: its result or progress, and its failures. */
export default function OneBulkJob() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(bulkQuery(id))
  return <QueryResult query={query}>{(job) => <Shown key={job.id} job={job} />}</QueryResult>
}

type DeliveryState = keyof typeof deliveryStates

function Shown({ job }: { job: BulkJob }) {
  const { kind } = bulkActions[job.action]
  const hasBecome = kind === 'deliveries' && !job.dry_run && job.done > 0
  return (
    <>
      <Head title={bulkInWords(job.action, job.matched)} actions={<Actions job={job} />}>
        <BulkStatus job={job} /> <Time at={job.created_at} /> ·{' '}
        <Link to="/bulk">{__('All bulk actions', 'galley')}</Link>
      </Head>
      <Progress job={job} />
      {hasBecome && <Became id={job.id} />}
      <Below queries={hasBecome ? [countsQuery({ bulk_id: job.id })] : []}>
        <JobInWords job={job} />
        <Items job={job} />
      </Below>
    </>
  )
}

/** Starts the action after a dry run, stops a running job, or undoes one that changed sites. */
function Actions({ job }: { job: BulkJob }) {
  const { id, action, filter, parameters, dry_run, undoable, status, ended_at, done } = job
  const navigate = useNavigate()
  const act = useChange({
    changes: ['bulk'],
    mutationFn: async (requested: 'do' | 'stop' | 'undo') => {
      if (requested === 'stop') return void (await call('cancelBulk', { path: { uuid: id } }))
      const same = { action, filter, parameters }
      const undoing = { action: 'undo', filter: {}, parameters: { bulk_id: id } }
      const body = { ...(requested === 'undo' ? undoing : same), dry_run: false } as BulkRequest
      const made = await call('createBulk', { body })
      await navigate({ to: '/bulk/$id', params: { id: made.id } as never })
    },
  })
  const mayChangeSites = useMay('sites.change')
  const { kind, label } = bulkActions[action]
  if (!useMay('deliveries.act') || (kind === 'sites' && !mayChangeSites)) return null
  if (ended_at === null)
    return (
      <Button disabled={act.isPending || status === 'cancelled'} onClick={() => act.mutate('stop')}>
        {__('Stop', 'galley')}
      </Button>
    )
  if (done > 0 && undoable)
    return (
      <Button disabled={act.isPending} onClick={() => act.mutate('undo')}>
        {__('Undo', 'galley')}
      </Button>
    )
  if (!dry_run || status !== 'done' || done === 0) return null
  return (
    <Button primary disabled={act.isPending} onClick={() => act.mutate('do')}>
      {sprintf(
        // translators: 1: what is done, such as Release; 2: a count with its noun, such as 214 deliveries
        __('%1$s: %2$s', 'galley'),
        label(),
        countOf(kind, done),
      )}
    </Button>
  )
}

/** What has become of the deliveries that the job changed: one that was tried again may wait for somebody once more. */
function Became({ id }: { id: string }) {
  const { data } = useQuery(countsQuery({ bulk_id: id }))
  if (data === undefined) return null
  const states = (Object.keys(deliveryStates) as DeliveryState[]).filter(
    (status) => data.by_status[status].count > 0,
  )
  return (
    <section className="g-section" aria-labelledby="became">
      <h2 id="became">{__('What became of the deliveries', 'galley')}</h2>
      <ul className="g-counts">
        {states.map((status) => (
          <li key={status}>
            <Link to="/deliveries" search={{ bulk_id: id, status } as never}>
              {formatBounded(data.by_status[status])}
            </Link>{' '}
            <DeliveryStatus status={status} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Causes of deliveries that wait because somebody edited their posts. */
const EDITED = ['post_changed', 'post_replaced']

/** The progress as it happens, and the reasons for what was not done. */
function Progress({ job }: { job: BulkJob }) {
  const { status, dry_run, matched, done, skipped, failed, reasons, ended_at, filter } = job
  const looked = done + skipped + failed
  return (
    <section className="g-card g-section g-progress">
      <h2>{dry_run ? __('Result of the dry run', 'galley') : __('Result', 'galley')}</h2>
      {ended_at === null && (
        <progress
          aria-label={__('Progress', 'galley')}
          max={Math.max(matched, 1)}
          {...(status !== 'collecting' && { value: looked })}
        />
      )}
      <p aria-live="polite">
        {sprintf(
          // translators: 1: how many have had their turn; 2: how many there are
          __('%1$d of %2$d', 'galley'),
          looked,
          matched,
        )}
      </p>
      <Counts job={job} />
      {dry_run && status === 'done' && (
        <p className="g-weak">
          {done > 0
            ? __('Nothing has been changed yet. What is refused here would be left as it is.', 'galley')
            : __('There is nothing to do it to. Nothing has been changed.', 'galley')}
        </p>
      )}
      {reasons.length > 0 && (
        <ul className="g-reasons">
          {reasons.map(({ outcome, code, message, count }) => (
            <li key={`${outcome} ${code}`}>
              <Badge tone={outcome === 'failed' ? 'bad' : 'neutral'}>{String(count)}</Badge> {message}{' '}
              {code === 'POST_EDITED' && (
                <Link
                  to="/deliveries"
                  search={addressFor({ code: EDITED, ...filter, status: 'held' }) as never}
                >
                  {__('Open them', 'galley')}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
