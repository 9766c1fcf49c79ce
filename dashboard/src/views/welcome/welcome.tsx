import './welcome.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import type { SourceWithSecrets } from '../../api/client.ts'
import { useMayConnect } from '../../app/session-context.ts'
import { Below } from '../../components/below.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Head } from '../../components/head.tsx'
import { SendSample } from '../../components/send-sample.tsx'
import { NoRight, QueryResult } from '../../components/states.tsx'
import { SiteState } from '../../components/status.tsx'
import { deliveriesQuery } from '../../data/deliveries.ts'
import { siteQuery, sitesQuery } from '../../data/sites.ts'
import { sourcesQuery } from '../../data/sources.ts'
import { Findings } from '../sites/report.tsx'
import { Connect } from './connect.tsx'
import { needsAddress, type Way, Ways } from './ways.tsx'

/**
 * The first run: connect a site, choose where documents come from, send a sample, open the post. The current step follows from what exists. The address
 * names the site (`site`), the link that is waited for (`link`), and another site to connect (`connect=new`), with an earlier id (`id`).
 */
export default function Welcome() {
  const { site, connect } = useSearch({ strict: false }) as Record<string, string>
  const isNamed = site !== undefined || connect === 'new'
  const newest = useQuery({ ...newestSiteQuery(), enabled: !isNamed })
  return (
    <>
      <Head title={__('Publish your first post', 'galley')}>
        {__('Three steps. Each shows what it has done before the next.', 'galley')}
      </Head>
      {isNamed || newest.data ? (
        <Steps siteId={isNamed ? site : newest.data?.data[0]?.id} />
      ) : (
        <QueryResult query={newest}>{() => null}</QueryResult>
      )}
    </>
  )
}

function Steps({ siteId }: { siteId: string | undefined }) {
  const { link, connect, id } = useSearch({ strict: false }) as Record<string, string>
  const [way, setWay] = useState<Way>('program')
  const mayConnect = useMayConnect()
  const navigate = useNavigate()
  const go = (search: Record<string, string | undefined>) =>
    void navigate({ to: '/welcome', search: search as never, replace: true })
  const [made, setMade] = useState<SourceWithSecrets>()
  const sources = useQuery(anySourceQuery())
  const deliveries = useQuery({ ...latestDeliveryQuery(siteId), enabled: siteId !== undefined })
  const source = made ?? sources.data?.data.find(({ built_in }) => !built_in)
  // Until it is answered, the query has the data of another site.
  const last = deliveries.data?.data.find(({ site_id }) => site_id === siteId)
  const hasWay = source !== undefined || !needsAddress(way)
  return (
    <>
      <ol className="g-steps">
        <Step title={__('Connect a WordPress site', 'galley')} done={siteId !== undefined} current>
          {siteId ? (
            <Connected siteId={siteId} />
          ) : !mayConnect && id === undefined ? (
            <NoRight />
          ) : (
            <Connect
              link={link}
              id={id}
              onLink={(made) => go({ connect, id, link: made })}
              onConnected={(connected) => go({ site: connected })}
            />
          )}
        </Step>
        <Below queries={siteId ? [siteQuery(siteId)] : []}>
          <Step
            title={__('Choose where your documents come from', 'galley')}
            done={source !== undefined}
            current={siteId !== undefined}
          >
            {siteId && (
              <QueryResult query={sources}>
                {() => <Ways way={way} onChange={setWay} siteId={siteId} source={source} onMade={setMade} />}
              </QueryResult>
            )}
          </Step>
          <Below queries={[anySourceQuery()]}>
            <Step
              title={__('Send a sample', 'galley')}
              done={last?.status === 'delivered'}
              current={siteId !== undefined && hasWay}
            >
              {siteId && (
                <QueryResult query={deliveries}>
                  {() => <SendSample siteId={siteId} address={made?.url} last={last} />}
                </QueryResult>
              )}
            </Step>
          </Below>
        </Below>
      </ol>
      {siteId && last?.status === 'delivered' && <Next siteId={siteId} />}
    </>
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
  const mayConnect = useMayConnect()
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
            <LinkButton to={`/sites/${id}`}>{__('Go to the site', 'galley')}</LinkButton>
            {mayConnect && (
              <LinkButton to="/welcome" search={{ connect: 'new' }}>
                {__('Connect another site', 'galley')}
              </LinkButton>
            )}
          </p>
        </>
      )}
    </QueryResult>
  )
}

/** Where to go on from a first post. */
const Next = ({ siteId }: { siteId: string }) => (
  <section className="g-card g-next">
    <h2>{__('What comes next', 'galley')}</h2>
    <ul>
      <li>
        <Link to="/sites/$id" params={{ id: siteId } as never}>
          {__('Set the author, categories and status of its posts', 'galley')}
        </Link>
      </li>
      <li>
        <Link to="/outcomes">{__('Be told when a document waits for you', 'galley')}</Link>
      </li>
      <li>
        <Link to="/deliveries">{__('See every delivery, and why one waits', 'galley')}</Link>
      </li>
    </ul>
  </section>
)

/** The newest site. */
const newestSiteQuery = () => sitesQuery({ limit: 1, sort: '-created' })

/** Whether there are sources beside Galley's own. */
const anySourceQuery = () => sourcesQuery({ limit: 5 })

/** The latest delivery of a site. */
const latestDeliveryQuery = (siteId = '') => deliveriesQuery({ site_id: [siteId], limit: 1 })
