import './welcome.css'
import { __ } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import type { Delivery, Site, SourceWithSecrets } from '../../api/client.ts'
import { Head } from '../../components/head.tsx'
import { SendSample } from '../../components/send-sample.tsx'
import { Connect } from './connect.tsx'
import { MakeSource } from './make-source.tsx'

/** The first run: connect a site, make a source, send a sample through it, open the post. */
export default function Welcome() {
  const [site, setSite] = useState<Pick<Site, 'id' | 'name' | 'url'>>()
  const [source, setSource] = useState<SourceWithSecrets>()
  const [delivery, setDelivery] = useState<Delivery>()
  return (
    <>
      <Head title={__('From zero to a post', 'galley')}>
        {__('Three steps. Each shows what it has done before the next.', 'galley')}
      </Head>
      <ol className="g-steps">
        <Step title={__('Connect a WordPress site', 'galley')} done={site !== undefined} current>
          {site ? (
            <p>
              {site.name} <span className="g-weak">{site.url}</span>
            </p>
          ) : (
            <Connect onConnected={setSite} />
          )}
        </Step>
        <Step
          title={__('Create an address for your documents', 'galley')}
          done={source !== undefined}
          current={site !== undefined}
        >
          <MakeSource source={source} onMade={setSource} />
        </Step>
        <Step
          title={__('Send a sample', 'galley')}
          done={delivery?.status === 'delivered'}
          current={source !== undefined}
        >
          {site && source && <SendSample siteId={site.id} address={source.url} onDelivery={setDelivery} />}
        </Step>
      </ol>
    </>
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
