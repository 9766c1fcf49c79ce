import './documents.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { call, type JobInDetail } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Below } from '../../components/below.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Head } from '../../components/head.tsx'
import { QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { documentQuery, hasEnded, jobQuery } from '../../data/jobs.ts'
import { Cost } from './cost.tsx'
import { OnSites, onSitesQuery } from './deliver.tsx'
import { ExternalLink } from './external-link.tsx'
import { Outcome } from './outcome.tsx'
import { Steps } from './steps.tsx'
import { firstLine, JobStatus, kinds, newJobs, priceInWords, remedies, waitReasons } from './words.tsx'

/** One job: how far it is, what came of it, what it rests on. */
export default function OneJob() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(jobQuery(id))
  return <QueryResult query={query}>{(job) => <Shown key={job.id} job={job} />}</QueryResult>
}

function Shown({ job }: { job: JobInDetail }) {
  const { id, kind, status, title, error, waiting, created_at } = job
  const isOnSites = kind === 'document' && status === 'completed'
  const maySee = useMay('deliveries.read')
  return (
    <>
      <Head title={firstLine(title) || kinds[kind]()} actions={<Actions job={job} />}>
        <JobStatus status={status} /> {kinds[kind]()} · <Time at={created_at} /> · {priceInWords(job)} ·{' '}
        <Link to="/documents">{__('All documents', 'galley')}</Link>
      </Head>
      {error && (
        <section className="g-card g-section g-told bad">
          <h2>{__('What went wrong', 'galley')}</h2>
          <p>{error.message}</p>
          <p>{remedies[error.code]()}</p>
        </section>
      )}
      {waiting && (
        <section className="g-card g-section g-told warning" role="status">
          <h2>{waitReasons[waiting.reason]()}</h2>
          <p>{waiting.message}</p>
          <p className="g-weak">
            {__('Waits since', 'galley')} <Time at={waiting.since} />
          </p>
        </section>
      )}
      <div className="g-job g-columns">
        <div>
          {status !== 'completed' && <Steps job={job} />}
          {hasEnded(job) && <Outcome job={job} />}
        </div>
        <div>
          {isOnSites && <OnSites job={job} />}
          <Below queries={isOnSites ? [documentQuery(job), ...(maySee ? [onSitesQuery(id)] : [])] : []}>
            {status === 'completed' && <Steps job={job} />}
            <Cost job={job} />
            <Sources sources={job.sources} />
            <Request job={job} />
          </Below>
        </div>
      </div>
    </>
  )
}

/** Cancels a job that runs; completes one that has ended, or makes another like it. */
function Actions({ job }: { job: JobInDetail }) {
  const { id, kind, title, missing } = job
  const act = useChange({
    changes: ['jobs'],
    mutationFn: (action: 'cancelJob' | 'resumeJob') => call(action, { path: { uuid: id } }),
  })
  if (!useMay('jobs.create')) return null
  if (!hasEnded(job))
    return (
      <ConfirmButton
        label={__('Cancel it', 'galley')}
        of={firstLine(title)}
        question={__('What is made so far is lost. What was not begun is refunded.', 'galley')}
        disabled={act.isPending}
        onConfirm={() => act.mutate('cancelJob')}
      />
    )
  return (
    <>
      {missing.length > 0 && (
        <Button primary disabled={act.isPending} onClick={() => act.mutate('resumeJob')}>
          {__('Create what is missing', 'galley')}
        </Button>
      )}
      <LinkButton to={newJobs[kind].to} search={{ from: id }}>
        {__('Create another like it', 'galley')}
      </LinkButton>
    </>
  )
}

/** What was asked for: the words, and all the choices. */
function Request({ job: { request } }: { job: JobInDetail }) {
  const { prompt, text, ...choices } = request
  const words = typeof prompt === 'string' ? prompt : typeof text === 'string' ? text : ''
  return (
    <section className="g-card g-section g-request">
      <h2>{__('What was asked for', 'galley')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled with the keyboard too */}
      <p tabIndex={0}>{words}</p>
      <details>
        <summary>{__('All options', 'galley')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard too */}
        <pre dir="ltr" tabIndex={0}>
          {JSON.stringify({ ...choices, ...(typeof text !== 'string' && { text }) }, null, 2)}
        </pre>
      </details>
    </section>
  )
}

/** The web pages that were read for a document. */
function Sources({ sources }: { sources: JobInDetail['sources'] }) {
  if (sources.length === 0) return null
  return (
    <section className="g-card g-section">
      <h2>{__('Sources', 'galley')}</h2>
      <ol className="g-sources">
        {sources.map(({ url, title, published }) => (
          <li key={url}>
            <ExternalLink url={url}>{title || url}</ExternalLink>
            <p className="g-weak">
              <span dir="ltr">{hostOf(url)}</span>
              {published && (
                <>
                  {' · '}
                  <Time at={published} />
                </>
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
