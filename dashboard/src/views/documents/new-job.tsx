import './documents.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import type { JobInDetail } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay } from '../../app/session-context.ts'
import { Form } from '../../components/form.tsx'
import { Head } from '../../components/head.tsx'
import { NoRight } from '../../components/states/no-right.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { type JobKind, jobQuery } from '../../data/jobs.ts'
import type { useCreateJob } from './create-job.ts'
import { PriceOf } from './price.tsx'
import { newJobs } from './words.tsx'

/** What another job was requested with, to begin like it. */
export type Kept = JobInDetail['request'] | undefined

interface NewJobProps {
  kind: JobKind
  children(kept: Kept): ReactNode
}

/** The page of a request: a new one, or one like another (`?from=`). */
export function NewJob({ kind, children }: NewJobProps) {
  const [{ from }] = useAddressSearch()
  if (!useMay('jobs.create')) return <NoRight />
  return (
    <>
      <Head title={newJobs[kind].label()}>
        <Link to="/documents">{__('All documents', 'galley')}</Link>
      </Head>
      {from === undefined ? (
        children(undefined)
      ) : (
        <Like id={from}>{(job) => children(keptOf(job, kind))}</Like>
      )}
    </>
  )
}

function Like({ id, children }: { id: string; children(job: JobInDetail): ReactNode }) {
  const query = useQuery(jobQuery(id))
  return <QueryResult query={query}>{children}</QueryResult>
}

const keptOf = (job: JobInDetail, kind: JobKind): Kept => (job.kind === kind ? job.request : undefined)

interface JobFormProps {
  submit: string
  creation: Pick<ReturnType<typeof useCreateJob>, 'price' | 'make' | 'refusal'>
  incomplete: boolean
  children: ReactNode
}

/** A form with the price of what is filled in. */
export function JobForm({ submit, creation: { price, make, refusal }, incomplete, children }: JobFormProps) {
  const navigate = useNavigate()
  return (
    <div className="g-card g-job-form">
      <Form
        submit={submit}
        failure={refusal}
        pending={make.isPending}
        incomplete={incomplete || price.data?.unavailable != null}
        onSubmit={() => make.mutate()}
        onCancel={() => void navigate({ to: '/documents' })}
      >
        {children}
        <PriceOf price={price} />
      </Form>
    </div>
  )
}
