import './welcome.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import type { SourceWithSecrets } from '../../api/client.ts'
import { Head } from '../../components/head.tsx'
import { SendSample } from '../../components/send-sample.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Connect } from './connect.tsx'
import { Connected } from './connected.tsx'
import { MakeSource } from './make-source.tsx'
import { anySourceQuery, latestDeliveryQuery, newestSiteQuery } from './queries.ts'

/**
 * The first run: connect a site, make a source, send a sample through it, open the post. How far one is follows from what
 * is there; the address says which site is meant (`site`), which link is waited for (`link`), and that another site is to
 * be connected (`connect=new`), under an id that it had before (`id`).
 */
export default function Welcome() {
  const { site, connect } = useSearch({ strict: false }) as Record<string, string>
  const newest = useQuery({ ...newestSiteQuery(), enabled: site === undefined && connect !== 'new' })
  return (
    <>
      <Head title={__('From zero to a post', 'galley')}>
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
  // Until it is answered, the query has what came for another site.
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
  /** Its turn has come. */
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
