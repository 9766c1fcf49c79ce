import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Source } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Rows } from '../../components/rows.tsx'
import { Secret } from '../../components/secret.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { sourcesQuery } from '../../data/sources.ts'
import { SourceForm } from './form.tsx'
import { SourceRow } from './row.tsx'
import { TrySource } from './try-source.tsx'

/** What is shown only once of a source: it was made, or got another address. */
export interface Shown {
  name: string
  url?: string
  /** Whether what is not signed is refused. */
  signed: boolean
  signing_secret: string | null
}

type Open = { kind: 'form'; source?: Source } | { kind: 'shown'; shown: Shown } | undefined

/** Sources: made, limited, given another address, paused, removed. */
export default function Sources() {
  const [{ cursor }] = useAddressSearch()
  const query = useQuery(sourcesQuery({ cursor }))
  const mayChange = useMay('sources.change')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const make = mayChange && (
    <button type="button" className="g-button primary" onClick={() => setOpen({ kind: 'form' })}>
      {__('Create a source', 'galley')}
    </button>
  )
  return (
    <>
      <Head title={__('Sources', 'galley')} actions={make}>
        {__('Senders of documents, each with an address of its own.', 'galley')}
      </Head>
      {open?.kind === 'form' && (
        <Panel
          key={open.source?.id ?? 'new'}
          title={open.source ? open.source.name : __('Create a source', 'galley')}
        >
          <SourceForm
            {...(open.source && { source: open.source })}
            onCancel={close}
            onDone={(shown) => setOpen(shown && { kind: 'shown', shown })}
          />
        </Panel>
      )}
      {open?.kind === 'shown' && (
        <SecretPanel key={open.shown.url} title={open.shown.name} onStored={close}>
          {open.shown.url && (
            <Secret value={open.shown.url} label={__('Address for documents', 'galley')} labelled />
          )}
          {open.shown.url && !open.shown.signed && <TrySource address={open.shown.url} />}
          {open.shown.signing_secret && (
            <Secret value={open.shown.signing_secret} label={__('Signing secret', 'galley')} labelled />
          )}
        </SecretPanel>
      )}
      <Rows
        query={query}
        label={__('Sources', 'galley')}
        empty={
          <Empty title={__('No source yet', 'galley')} actions={make}>
            <p>{__('A source is an address for whoever sends finished documents.', 'galley')}</p>
          </Empty>
        }
      >
        {(source) => (
          <SourceRow
            source={source}
            onChange={() => setOpen({ kind: 'form', source })}
            onShow={(shown) => setOpen({ kind: 'shown', shown })}
          />
        )}
      </Rows>
    </>
  )
}
