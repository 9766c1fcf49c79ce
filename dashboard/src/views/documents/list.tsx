import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import type { Job } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { Time } from '../../components/time.tsx'
import { priceQuery } from '../../data/jobs.ts'
import { Balance } from './balance.tsx'
import { WORDS } from './create-job.ts'
import { Filters } from './filters.tsx'
import { listQueryAt } from './list-query.ts'
import { Unavailable } from './price.tsx'
import { credits, inShort, JobStatus, kinds, newJobs } from './words.tsx'

/** What was requested, the newest first. */
export default function Documents() {
  const [search] = useAddressSearch()
  const query = useQuery(listQueryAt(search))
  const looking = search.kind !== undefined || search.state !== undefined
  const any = looking || (query.data?.data.length ?? 0) > 0
  const mayCreate = useMay('jobs.create')
  return (
    <>
      <Head title={__('Documents', 'galley')} actions={mayCreate && <NewJobLinks />}>
        {__('Texts, audio and images that Galley creates from what you ask for.', 'galley')} <Balance />
      </Head>
      {mayCreate && <Availability />}
      {any && <Filters />}
      <Rows
        query={query}
        label={__('Documents', 'galley')}
        empty={
          looking ? (
            <Empty title={__('Nothing matches', 'galley')} />
          ) : (
            <Empty title={__('Nothing has been requested yet', 'galley')}>
              <p>{__('Every request is listed here, with its progress and its cost.', 'galley')}</p>
            </Empty>
          )
        }
      >
        {(job) => <JobRow job={job} />}
      </Rows>
    </>
  )
}

function JobRow({ job: { id, kind, status, title, price, error, created_at } }: { job: Job }) {
  return (
    <Row
      title={
        <Link to="/documents/$id" params={{ id } as never}>
          {inShort(title) || __('(no title)', 'galley')}
        </Link>
      }
      state={<JobStatus status={status} />}
    >
      {error && <p>{error.message}</p>}
      <p className="g-weak">
        {kinds[kind]()}
        {' · '}
        <Time at={created_at} />
        {' · '}
        {credits(price)}
        {error && `, ${__('given back', 'galley')}`}
      </p>
    </Row>
  )
}

function NewJobLinks() {
  return Object.values(newJobs).map(({ to, label }, place) => (
    <Link key={to} className={place === 0 ? 'g-button primary' : 'g-button'} to={to}>
      {label()}
    </Link>
  ))
}

/** Says so where nobody is set up to write documents: before somebody has filled in a form. */
function Availability() {
  const { data } = useQuery(priceQuery('document', { prompt: WORDS }))
  return data?.unavailable ? <Unavailable reason={data.unavailable} /> : null
}
