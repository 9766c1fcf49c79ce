import './bulk.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { type BulkJob, call } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { bulkActions, countOf } from '../../components/bulk/words.ts'
import { Head } from '../../components/head.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Time } from '../../components/time.tsx'
import { type BulkRequest, bulkQuery } from '../../data/bulk.ts'
import { Items } from './items.tsx'
import { JobInWords } from './job-in-words.tsx'
import { Progress } from './progress.tsx'
import { BulkStatus } from './status.tsx'

/** One thing that is done to many: what it would do, how far it is, and what was refused and why. */
export default function OneBulkJob() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(bulkQuery(id))
  return <QueryResult query={query}>{(job) => <Shown key={job.id} job={job} />}</QueryResult>
}

function Shown({ job }: { job: BulkJob }) {
  const { kind, label } = bulkActions[job.action]
  return (
    <>
      <Head title={`${label()}: ${countOf(kind, job.matched)}`} actions={<Actions job={job} />}>
        <BulkStatus job={job} /> <Time at={job.created_at} /> ·{' '}
        <Link to="/bulk">{__('All bulk actions', 'galley')}</Link>
      </Head>
      <Progress job={job} />
      <JobInWords job={job} />
      <Items job={job} />
    </>
  )
}

/** Where a look has ended, to do it; where something is under way, to stop it. */
function Actions({ job }: { job: BulkJob }) {
  const { id, action, filter, parameters, dry_run, status, ended_at, done } = job
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const act = useMutation({
    mutationFn: async (requested: 'do' | 'stop') => {
      if (requested === 'stop') return void (await call('cancelBulk', { path: { uuid: id } }))
      const body = { action, filter, parameters, dry_run: false } as BulkRequest
      const made = await call('createBulk', { body })
      await navigate({ to: '/bulk/$id', params: { id: made.id } as never })
    },
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['bulk'] }),
  })
  const mayChangeSites = useMay('sites.change')
  const { kind, label } = bulkActions[action]
  if (!useMay('deliveries.act') || (kind === 'sites' && !mayChangeSites)) return null
  if (ended_at === null)
    return (
      <button
        type="button"
        className="g-button"
        disabled={act.isPending || status === 'cancelled'}
        onClick={() => act.mutate('stop')}
      >
        {__('Stop', 'galley')}
      </button>
    )
  if (!dry_run || status !== 'done' || done === 0) return null
  return (
    <button
      type="button"
      className="g-button primary"
      disabled={act.isPending}
      onClick={() => act.mutate('do')}
    >
      {sprintf(
        // translators: 1: what is done, such as Release; 2: a count with its noun, such as 214 deliveries
        __('%1$s: %2$s', 'galley'),
        label(),
        countOf(kind, done),
      )}
    </button>
  )
}
