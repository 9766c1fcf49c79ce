import './documents.css'
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { type ReactNode, useEffect, useState } from 'react'
import type { JobInDetail, Price } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay } from '../../app/session-context.ts'
import { Form } from '../../components/form.tsx'
import { Guide } from '../../components/guide.tsx'
import { Head } from '../../components/head.tsx'
import { NoRight, QueryResult } from '../../components/states.tsx'
import { createJob, type JobKind, type JobRequests, jobQuery, priceQuery } from '../../data/jobs.ts'
import { credits, newJobs } from './words.tsx'

/** The request of another job, to start from. */
export type EarlierRequest = JobInDetail['request'] | undefined

interface NewJobProps {
  kind: JobKind
  children(earlier: EarlierRequest): ReactNode
}

/** The page of a new job, or of one like another (`?from=`). */
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
        <LikeJob id={from}>{(job) => children(earlierRequest(job, kind))}</LikeJob>
      )}
    </>
  )
}

function LikeJob({ id, children }: { id: string; children(job: JobInDetail): ReactNode }) {
  const query = useQuery(jobQuery(id))
  return <QueryResult query={query}>{children}</QueryResult>
}

const earlierRequest = (job: JobInDetail, kind: JobKind): EarlierRequest =>
  job.kind === kind ? job.request : undefined

interface JobFormProps {
  submit: string
  creation: ReturnType<typeof useCreateJob>
  incomplete: boolean
  children: ReactNode
}

/** A form with the price of its request. */
export function JobForm({ submit, creation: { price, make, refusal }, incomplete, children }: JobFormProps) {
  const navigate = useNavigate()
  return (
    <div className="g-card g-form-card">
      <Form
        submit={submit}
        mutation={{ ...make, error: refusal }}
        fieldsFailure={refusal ?? price.error}
        incomplete={incomplete || price.data?.unavailable != null}
        onCancel={() => void navigate({ to: '/documents' })}
      >
        {children}
        <PriceOf price={price} />
      </Form>
    </div>
  )
}

/** Milliseconds without a change before the price is asked for. */
const DEBOUNCE_MS = 350

/** Placeholder text for a price: that of documents and images does not depend on the text. */
export const PLACEHOLDER_TEXT = 'Something to be made.'

/**
 * The logic of a job's form: asks for the price, creates the job once (however often the button is pressed or an answer is lost), and
 * leads to it.
 */
export function useCreateJob<Kind extends JobKind>(kind: Kind, body: JobRequests[Kind]) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const settled = useDebounced(body)
  const price = useQuery(priceQuery(kind, pricedRequest(kind, settled)))
  const [refused, setRefused] = useState('')
  const now = JSON.stringify(body)
  const make = useMutation({
    mutationFn: () => createJob(kind, body),
    onSuccess: async (id) => {
      await navigate({ to: '/documents/$id', params: { id } as never })
      await queryClient.invalidateQueries({ queryKey: ['jobs', 'list'] })
    },
    onError: () => setRefused(now),
  })
  const refusal = make.isError && refused === now ? make.error : null
  return {
    price,
    make,
    /** The error of the current request; a change clears it. */
    refusal,
  }
}

/** A value that has not changed for a moment. */
function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** The price of audio depends on the length of the text; a text that is too short has the price of the shortest. */
function pricedRequest<Kind extends JobKind>(kind: Kind, body: JobRequests[Kind]): JobRequests[Kind] {
  if (kind !== 'audio') return { ...body, prompt: PLACEHOLDER_TEXT }
  const { text } = body as JobRequests['audio']
  return text.trim().length < PLACEHOLDER_TEXT.length ? { ...body, text: PLACEHOLDER_TEXT } : body
}

/** The price, the balance, and whether the job can be made. */
function PriceOf({ price: { data, isError } }: { price: UseQueryResult<Price> }) {
  if (data?.unavailable) return <Unavailable reason={data.unavailable} />
  const tooMuch = data?.credits != null && data.credits < data.price
  return (
    <p className={`g-price ${tooMuch ? 'g-field-error' : ''}`} role="status">
      {data === undefined ? (
        isError && __('The price is shown once everything above is right.', 'galley')
      ) : (
        <>
          <strong>
            {sprintf(
              // translators: %s: `12 credits`
              __('Costs %s.', 'galley'),
              credits(data.price),
            )}
          </strong>{' '}
          {data.credits === null
            ? __('The account has no limit: the use is counted, and nothing is charged.', 'galley')
            : sprintf(
                // translators: %s: `12 credits`
                __('The account has %s.', 'galley'),
                credits(data.credits),
              )}{' '}
          {tooMuch && __('Whoever runs this Galley can give it more.', 'galley')}
        </>
      )}
    </p>
  )
}

/** Nobody can make this job, and what to do about it. */
export const Unavailable = ({ reason }: { reason: NonNullable<Price['unavailable']> }) => (
  <section className="g-card g-section g-told warning">
    <h2>{__('This cannot be created here yet', 'galley')}</h2>
    <p>
      {reason.message} <Guide to="generation.md#start-with-three-settings" />
    </p>
  </section>
)
