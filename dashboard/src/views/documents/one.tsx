import './documents.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { JobInDetail } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Time } from '../../components/time.tsx'
import { hasEnded, jobQuery } from '../../data/jobs.ts'
import { OnSites } from './deliver.tsx'
import { Outcome } from './outcome.tsx'
import { Request } from './request.tsx'
import { Sources } from './sources.tsx'
import { Steps } from './steps.tsx'
import { credits, inShort, JobStatus, kinds, newJobs, whatToDo } from './words.tsx'

/** One job: how far it is, what came of it, what it rests on. */
export default function OneJob() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(jobQuery(id))
  return <QueryResult query={query}>{(job) => <Shown job={job} />}</QueryResult>
}

function Shown({ job }: { job: JobInDetail }) {
  const { kind, status, title, price, error, created_at } = job
  return (
    <>
      <Head title={inShort(title) || kinds[kind]()} actions={hasEnded(job) && <Again job={job} />}>
        <JobStatus status={status} /> {kinds[kind]()} · <Time at={created_at} /> · {credits(price)}
        {error && `, ${__('given back', 'galley')}`}
      </Head>
      <p className="g-section">
        <Link to="/documents">{__('All documents', 'galley')}</Link>
      </p>
      {error && (
        <section className="g-card g-section g-told bad">
          <h2>{__('What went wrong', 'galley')}</h2>
          <p>{error.message}</p>
          <p>{whatToDo[error.code]()}</p>
          <p className="g-weak">{error.code}</p>
        </section>
      )}
      <div className="g-job">
        <div>
          {status !== 'completed' && <Steps job={job} />}
          {hasEnded(job) && <Outcome job={job} />}
        </div>
        <div>
          {kind === 'document' && status === 'completed' && <OnSites id={job.id} />}
          {status === 'completed' && <Steps job={job} />}
          <Sources sources={job.sources} />
          <Request job={job} />
        </div>
      </div>
    </>
  )
}

function Again({ job: { id, kind } }: { job: JobInDetail }) {
  if (!useMay('jobs.create')) return null
  return (
    <Link className="g-button" to={newJobs[kind].to} search={{ from: id } as never}>
      {__('Create another like it', 'galley')}
    </Link>
  )
}
