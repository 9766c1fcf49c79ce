import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import type { AudioResult, JobInDetail, Warning } from '../../api/client.ts'
import { OutButton } from '../../components/button.tsx'
import { QueryResult } from '../../components/states.tsx'
import { warningItems } from '../../components/warnings.tsx'
import { audioQuery, documentQuery, imageQuery } from '../../data/jobs.ts'
import { ownFile } from './external-link.tsx'
import { Reading } from './reading.tsx'

/** What came of a job that has ended, and what a person should know of it. */
export const Outcome = ({ job }: { job: JobInDetail }) => outcomes[job.kind](job)

const outcomes = {
  document: (job) => <DocumentOutcome job={job} />,
  audio: (job) => <AudioOutcome job={job} />,
  image: (job) => <ImageOutcome job={job} />,
} satisfies Record<JobInDetail['kind'], (job: JobInDetail) => ReactNode>

type Warned = { warnings?: Warning[] | undefined }
type Status<Result> = Warned &
  ({ status: 'completed'; data: Result } | { status: Exclude<JobInDetail['status'], 'completed'> })

interface EndedProps<Result> {
  query: UseQueryResult<Status<Result>>
  children(data: Result): ReactNode
}

function Ended<Result>({ query, children }: EndedProps<Result>) {
  return (
    <QueryResult query={query}>
      {(status) => (
        <>
          {status.warnings && status.warnings.length > 0 && (
            <section className="g-card g-section g-told warning">
              <h2>{__('What you should know', 'galley')}</h2>
              <ul>{warningItems(status.warnings)}</ul>
            </section>
          )}
          {status.status === 'completed' && children(status.data)}
        </>
      )}
    </QueryResult>
  )
}

function DocumentOutcome({ job }: { job: JobInDetail }) {
  return (
    <Ended query={useQuery(documentQuery(job))}>
      {(data) => (
        <>
          {data.audio && <Listen audio={data.audio} />}
          <Reading document={data} />
        </>
      )}
    </Ended>
  )
}

function AudioOutcome({ job }: { job: JobInDetail }) {
  return <Ended query={useQuery(audioQuery(job))}>{(audio) => <Listen audio={audio} />}</Ended>
}

function ImageOutcome({ job }: { job: JobInDetail }) {
  return (
    <Ended query={useQuery(imageQuery(job))}>
      {({ url }) => (
        <figure className="g-card g-section g-made-image">
          <img src={ownFile(url)} alt={job.title} />
          <figcaption>
            <OutButton href={ownFile(url)}>{__('Open the image', 'galley')}</OutButton>
          </figcaption>
        </figure>
      )}
    </Ended>
  )
}

/** A sound file that was made, to be listened to. */
function Listen({ audio: { url, duration, format } }: { audio: AudioResult }) {
  const file = ownFile(url)
  return (
    <section className="g-card g-section g-listen">
      <h2>{__('Listen', 'galley')}</h2>
      {/* biome-ignore lint/a11y/useMediaCaption: what is said stands beside it, as the text that was read out */}
      <audio controls preload="metadata" src={file} aria-label={__('Listen', 'galley')} />
      <p className="g-weak">
        {duration} · {format} ·{' '}
        <a href={file} target="_blank" rel="noreferrer">
          {__('Open the file', 'galley')}
        </a>
      </p>
    </section>
  )
}
