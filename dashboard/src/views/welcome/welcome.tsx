import './welcome.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call, type Source, type SourceWithSecrets } from '../../api/client.ts'
import { Field } from '../../components/form.tsx'
import { Head } from '../../components/head.tsx'
import { Secret } from '../../components/secret.tsx'
import { SendSample } from '../../components/send-sample.tsx'
import { describeError, QueryResult } from '../../components/states.tsx'
import { SiteState } from '../../components/status.tsx'
import { deliveriesQuery } from '../../data/deliveries.ts'
import { siteQuery, sitesQuery } from '../../data/sites.ts'
import { sourcesQuery } from '../../data/sources.ts'
import { Findings } from '../sites/report.tsx'
import { Connect } from './connect.tsx'

/**
 * The first run: connect a site, create a source, send a sample, open the post. The current step follows from what exists. The address
 * names the site (`site`), the link that is waited for (`link`), and another site to connect (`connect=new`), with an earlier id (`id`).
 */
export default function Welcome() {
  const { site, connect } = useSearch({ strict: false }) as Record<string, string>
  const newest = useQuery({ ...newestSiteQuery(), enabled: site === undefined && connect !== 'new' })
  return (
    <>
      <Head title={__('Publish your first post', 'galley')}>
        {__('Three steps. Each shows what it has done before the next.', 'galley')}
      </Head>
      {site !== undefined || connect === 'new' ? (
        <Steps siteId={site} />
      ) : (
        <QueryResult query={newest}>{({ data }) => <Steps siteId={data[0]?.id} />}</QueryResult>
      )}
    </>
  )
}

function Steps({ siteId }: { siteId: string | undefined }) {
  const { link, connect, id } = useSearch({ strict: false }) as Record<string, string>
  const navigate = useNavigate()
  const go = (search: Record<string, string | undefined>) =>
    void navigate({ to: '/welcome', search: search as never, replace: true })
  const [made, setMade] = useState<SourceWithSecrets>()
  const sources = useQuery(anySourceQuery())
  const deliveries = useQuery({ ...latestDeliveryQuery(siteId), enabled: siteId !== undefined })
  const source = made ?? sources.data?.data[0]
  // Until it is answered, the query has the data of another site.
  const last = deliveries.data?.data.find(({ site_id }) => site_id === siteId)
  return (
    <ol className="g-steps">
      <Step title={__('Connect a WordPress site', 'galley')} done={siteId !== undefined} current>
        {siteId ? (
          <Connected siteId={siteId} />
        ) : (
          <Connect
            link={link}
            id={id}
            onLink={(made) => go({ connect, id, link: made })}
            onConnected={(connected) => go({ site: connected })}
          />
        )}
      </Step>
      <Step
        title={__('Create an address for your documents', 'galley')}
        done={source !== undefined}
        current={siteId !== undefined}
      >
        <QueryResult query={sources}>{() => <MakeSource source={source} onMade={setMade} />}</QueryResult>
      </Step>
      <Step
        title={__('Send a sample', 'galley')}
        done={last?.status === 'delivered'}
        current={siteId !== undefined && source !== undefined}
      >
        {siteId && (
          <QueryResult query={deliveries}>
            {() => <SendSample siteId={siteId} address={made?.url} last={last} />}
          </QueryResult>
        )}
      </Step>
    </ol>
  )
}

interface StepProps {
  title: string
  done: boolean
  /** The current step. */
  current: boolean
  children: ReactNode
}

const Step = ({ title, done, current, children }: StepProps) => (
  <li className={`g-card g-step ${done ? 'done' : ''}`} aria-current={current && !done ? 'step' : undefined}>
    <h2>
      {title}
      {done && <span className="g-step-done">{__('Done', 'galley')}</span>}
    </h2>
    {current && children}
  </li>
)

/** The connected site and its first check, which may still be running. */
function Connected({ siteId }: { siteId: string }) {
  const query = useQuery(siteQuery(siteId))
  return (
    <QueryResult query={query}>
      {({ id, name, url, state, report }) => (
        <>
          <p>
            <strong>{name}</strong> <span className="g-weak">{url}</span> <SiteState state={state} />
          </p>
          <h3>{__('What the last check found', 'galley')}</h3>
          {report ? (
            <Findings report={report} />
          ) : (
            <p role="status">
              {__('The site is being checked. What is found is shown here in a moment.', 'galley')}
            </p>
          )}
          <p className="g-actions">
            <Link className="g-button" to="/sites/$id" params={{ id } as never}>
              {__('Go to the site', 'galley')}
            </Link>
            <Link className="g-button" to="/welcome" search={{ connect: 'new' } as never}>
              {__('Connect another site', 'galley')}
            </Link>
          </p>
        </>
      )}
    </QueryResult>
  )
}

interface MakeSourceProps {
  /** With the address of a source that was just created. */
  source: Source | SourceWithSecrets | undefined
  onMade(source: SourceWithSecrets): void
}

/** A source. Its address is shown once. */
function MakeSource({ source, onMade }: MakeSourceProps) {
  const [name, setName] = useState<string>(() => __('My generator', 'galley'))
  const make = useMutation({
    mutationFn: async () => (await call('createSource', { body: { name: name.trim() } })).data,
    onSuccess: onMade,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  if (source && 'url' in source)
    return (
      <div className="g-form">
        <p>
          {__(
            'Give this address to whatever sends your documents. It is a secret, and it is shown only now: keep it where secrets are kept.',
            'galley',
          )}
        </p>
        <Secret value={source.url} label={__('Address for documents', 'galley')} />
      </div>
    )
  if (source)
    return (
      <p>
        <strong>{source.name}</strong>{' '}
        {__('Its address was shown when it was created. If nobody has it, create a new one:', 'galley')}{' '}
        <Link to="/sources">{__('Sources', 'galley')}</Link>
      </p>
    )
  return (
    <form className="g-form" onSubmit={submit} noValidate>
      <Field
        label={__('Sender', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        failure={make.error}
        path="body.name"
      />
      {make.error && (
        <p className="g-field-error" role="alert">
          {describeError(make.error).text}
        </p>
      )}
      <div>
        <button type="submit" className="g-button primary" disabled={make.isPending || name.trim() === ''}>
          {__('Create the address', 'galley')}
        </button>
      </div>
    </form>
  )
}

/** The newest site. */
const newestSiteQuery = () => sitesQuery({ limit: 1, sort: '-created' })

/** Whether there are sources. */
const anySourceQuery = () => sourcesQuery({ limit: 1 })

/** The latest delivery of a site. */
const latestDeliveryQuery = (siteId = '') => deliveriesQuery({ site_id: [siteId], limit: 1 })
