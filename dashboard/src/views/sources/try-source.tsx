import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { SendSample } from '../../components/send-sample.tsx'
import { SiteChoice } from '../../components/site-choice.tsx'

/** Sends a document through a source as its sender would: to its address, which is known this once. */
export function TrySource({ address }: { address: string }) {
  const [siteId, setSiteId] = useState<string>()
  return (
    <details className="g-try">
      <summary>{__('Send a sample', 'galley')}</summary>
      <SiteChoice
        legend={__('To this site', 'galley')}
        chosen={siteId === undefined ? [] : [siteId]}
        onChange={(ids) => setSiteId(ids.at(-1))}
      />
      {siteId && <SendSample key={siteId} siteId={siteId} address={address} />}
    </details>
  )
}
