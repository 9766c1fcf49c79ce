import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import type { Job } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay } from '../../app/session-context.ts'
import { Below } from '../../components/below.tsx'
import { Head } from '../../components/head.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Message } from '../../components/states.tsx'
import { inWords } from '../../components/texts.ts'
import { Time } from '../../components/time.tsx'
import { accountQuery } from '../../data/accounts.ts'
import { priceQuery } from '../../data/jobs.ts'
import { listQueryAt, type STATES } from './list-query.ts'
import { PLACEHOLDER_TEXT, Unavailable } from './new-job.tsx'
import { credits, firstLine, JobStatus, kinds, newJobs, priceInWords } from './words.tsx'
import '../../components/panel.css'
import { LinkButton } from '../../components/button.tsx'
import { Select } from '../../components/form.tsx'

/** The jobs, the newest first. */
export default function Documents() {
  const [search] = useAddressSearch()
  const query = useQuery(listQueryAt(search))
  const looking = search.kind !== undefined || search.state !== undefined
  const any = looking || (query.data?.data.length ?? 0) > 0
  const mayCreate = useMay('jobs.create')
  // Says that no provider is configured, before somebody fills in a form.
  const priced = priceQuery('document', { prompt: PLACEHOLDER_TEXT })
  const { data: price } = useQuery({ ...priced, enabled: mayCreate })
  return (
    <>
      <Head title={__('Documents', 'galley')} actions={mayCreate && <NewJobLinks />}>
        {__('Texts, audio and images that Galley creates from what you ask for.', 'galley')} <Balance />
      </Head>
      {price?.unavailable && <Unavailable reason={price.unavailable} />}
      <Below queries={mayCreate ? [priced] : []}>
        {any && <Filters />}
        <Rows
          query={query}
          label={__('Documents', 'galley')}
          empty={
            looking ? (
              <Message title={__('Nothing matches', 'galley')} />
            ) : (
              <Message
                title={__('Nothing has been requested yet', 'galley')}
                actions={
                  price?.unavailable === null && (
                    <LinkButton primary to={newJobs.document.to}>
                      {newJobs.document.label()}
                    </LinkButton>
                  )
                }
              >
                <p>{__('Every request is listed here, with its progress and its cost.', 'galley')}</p>
              </Message>
            )
          }
        >
          {(job) => <JobRow job={job} />}
        </Rows>
      </Below>
    </>
  )
}

function JobRow({ job }: { job: Job }) {
  const { id, kind, status, title, error, waiting, created_at } = job
  return (
    <Row
      title={
        <Link to="/documents/$id" params={{ id } as never}>
          {firstLine(title) || __('(no title)', 'galley')}
        </Link>
      }
      state={<JobStatus status={status} />}
    >
      {(error ?? waiting) && <p>{(error ?? waiting)?.message}</p>}
      <p className="g-weak">
        {kinds[kind]()}
        {' · '}
        <Time at={created_at} />
        {' · '}
        {priceInWords(job)}
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

/** The balance of the account. */
function Balance() {
  const { data } = useQuery(accountQuery())
  if (data === undefined) return null
  if (data.unlimited) return <>{__('The account has no credit limit.', 'galley')}</>
  return (
    <>
      {sprintf(
        // translators: %s: `12 credits`
        __('The account has %s.', 'galley'),
        credits(data.credits),
      )}
    </>
  )
}

const states = {
  open: () => __('Under way', 'galley'),
  completed: () => __('Finished', 'galley'),
  failed: () => __('Failed', 'galley'),
  cancelled: () => __('Cancelled', 'galley'),
} satisfies Record<keyof typeof STATES, () => string>

/** The filters of the list. */
function Filters() {
  const [{ kind = '', state = '' }, setSearch] = useAddressSearch()
  const any = { '': __('Any', 'galley') }
  return (
    <div className="g-filters">
      <Select
        label={__('Kind', 'galley')}
        value={kind}
        onChange={(value) => setSearch({ kind: value === '' ? undefined : value })}
        options={{ ...any, ...inWords(kinds) }}
      />
      <Select
        label={__('State', 'galley')}
        value={state}
        onChange={(value) => setSearch({ state: value === '' ? undefined : value })}
        options={{ ...any, ...inWords(states) }}
      />
    </div>
  )
}
