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
import { useSecrets } from '../../components/use-secrets.ts'
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

/** The form that is open above the list: of a source, or of a new one. */
type Open = { source?: Source } | undefined

/** Sources: made, limited, given another address, paused, removed. */
export default function Sources() {
  const [{ cursor }] = useAddressSearch()
  const query = useQuery(sourcesQuery({ cursor }))
  const mayChange = useMay('sources.change')
  const [open, setOpen] = useState<Open>()
  const { secrets, show, putAway } = useSecrets<Shown>()
  const close = () => setOpen(undefined)
  const make = mayChange && (
    <button type="button" className="g-button primary" onClick={() => setOpen({})}>
      {__('Create a source', 'galley')}
    </button>
  )
  return (
    <>
      <Head title={__('Sources', 'galley')} actions={make}>
        {__('Senders of documents, each with an address of its own.', 'galley')}
      </Head>
      {open && (
        <Panel
          key={open.source?.id ?? 'new'}
          title={open.source ? open.source.name : __('Create a source', 'galley')}
        >
          <SourceForm
            {...(open.source && { source: open.source })}
            onCancel={close}
            onDone={(shown) => {
              close()
              if (shown) show(shown)
            }}
          />
        </Panel>
      )}
      {secrets.map((shown) => (
        <SecretPanel
          key={shown.url ?? shown.signing_secret}
          title={shown.name}
          onStored={() => putAway(shown)}
        >
          {shown.url && <Secret value={shown.url} label={__('Address for documents', 'galley')} labelled />}
          {shown.url && !shown.signed && <TrySource address={shown.url} />}
          {shown.signing_secret && (
            <Secret value={shown.signing_secret} label={__('Signing secret', 'galley')} labelled />
          )}
        </SecretPanel>
      ))}
      <Rows
        query={query}
        label={__('Sources', 'galley')}
        empty={
          <Empty title={__('No source yet', 'galley')} actions={make}>
            <p>{__('A source is an address for whoever sends finished documents.', 'galley')}</p>
          </Empty>
        }
      >
        {(source) => <SourceRow source={source} onChange={() => setOpen({ source })} onShow={show} />}
      </Rows>
    </>
  )
}
