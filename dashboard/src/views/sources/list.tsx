import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Source } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Secret, useSecrets } from '../../components/secret.tsx'
import { SendSample } from '../../components/send-sample.tsx'
import { SiteChoice, SitesInWords } from '../../components/site-choice.tsx'
import { sourceName } from '../../components/source-name.ts'
import { Message } from '../../components/states.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { sourcesQuery } from '../../data/sources.ts'
import { highestStatuses, limitOf, type Shown, SourceForm } from './form.tsx'
import { UnusableReasons } from './unusable.tsx'

/** The open form above the list. */
type Open = { source?: Source } | undefined

/** The sources: create, limit, change the address, pause, remove. */
export default function Sources() {
  const [{ cursor, search }] = useAddressSearch()
  const query = useQuery(sourcesQuery({ cursor, search }))
  const mayChange = useMay('sources.change')
  const [open, setOpen] = useState<Open>()
  const { secrets, show, putAway } = useSecrets<Shown>()
  const close = () => setOpen(undefined)
  const make = mayChange && (
    <Button primary onClick={() => setOpen({})}>
      {__('Create a source', 'galley')}
    </Button>
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
      {search && (
        <p className="g-section">
          {__('Only what the search found.', 'galley')} <Link to="/sources">{__('Show all', 'galley')}</Link>
        </p>
      )}
      <Rows
        query={query}
        label={__('Sources', 'galley')}
        empty={
          search ? (
            <Message title={__('Nothing matches', 'galley')} />
          ) : (
            <Message title={__('No source yet', 'galley')} actions={make}>
              <p>{__('A source is an address for whoever sends finished documents.', 'galley')}</p>
            </Message>
          )
        }
      >
        {(source) => <SourceRow source={source} onChange={() => setOpen({ source })} onShow={show} />}
      </Rows>
    </>
  )
}

interface SourceRowProps {
  source: Source
  onChange(): void
  onShow(shown: Shown): void
}

function SourceRow({ source, onChange, onShow }: SourceRowProps) {
  const { name, limits, upstream_base_url, upstream_trouble, previous_address_until, created_at } = source
  const mayChange = useMay('sources.change')
  return (
    <Row
      title={sourceName(name)}
      state={<State source={source} />}
      actions={
        mayChange && !source.built_in && <Actions source={source} onChange={onChange} onShow={onShow} />
      }
    >
      <p>
        <SitesInWords {...limits} />
        {limitOf(source) !== '' && ` · ${highestStatuses()[limitOf(source)]}`}
      </p>
      {upstream_base_url && (
        <p className="g-weak">
          {source.confirm && `${__('Each document is confirmed', 'galley')} · `}
          {source.backfill && `${__('Documents that were never announced are fetched', 'galley')} · `}
          <span dir="ltr">{upstream_base_url}</span>
        </p>
      )}
      {upstream_trouble && <p className="g-field-error">{upstream_trouble.message}</p>}
      <UnusableReasons unusable={source.unusable} />
      {previous_address_until && (
        <p className="g-weak">
          {__('The previous address works until', 'galley')} <Time at={previous_address_until} exact />
        </p>
      )}
      <p className="g-weak">
        {__('Created', 'galley')} <Time at={created_at} />
      </p>
    </Row>
  )
}

function State({ source: { disabled, upstream_trouble, unusable, signed } }: { source: Source }) {
  return (
    <>
      {disabled ? (
        <Badge tone="neutral">{__('Paused by you', 'galley')}</Badge>
      ) : upstream_trouble || unusable.length > 0 ? (
        <Badge tone="warning">{__('Has a problem', 'galley')}</Badge>
      ) : (
        <Badge tone="good">{__('Receives', 'galley')}</Badge>
      )}{' '}
      {signed && <Badge tone="neutral">{__('Signed', 'galley')}</Badge>}
    </>
  )
}

function Actions({ source: { id, name, disabled }, onChange, onShow }: SourceRowProps) {
  const notice = useNotice()
  const at = { path: { uuid: id } }
  const act = useChange({
    changes: ['sources'],
    mutationFn: async (action: 'pause' | 'resume' | 'rotate' | 'remove') => {
      if (action === 'rotate') onShow((await call('rotateSource', { ...at, body: {} })).data)
      else if (action === 'remove') await call('removeSource', at)
      else await call('updateSource', { ...at, body: { disabled: action === 'pause' } })
      return action
    },
    onSuccess: (action) => {
      if (action === 'pause')
        notice({
          text: sprintf(
            // translators: %s: the name of a source
            __('%s is paused: what it sends is refused.', 'galley'),
            name,
          ),
          action: { label: __('Undo', 'galley'), run: () => act.mutate('resume') },
        })
      if (action === 'remove') notice({ text: sprintf(__('%s is removed.', 'galley'), name) })
    },
  })
  const of = (label: string) => `${label}: ${name}`
  const [change, pause, resume] = [__('Change', 'galley'), __('Pause', 'galley'), __('Resume', 'galley')]
  return (
    <>
      <Button aria-label={of(change)} onClick={onChange}>
        {change}
      </Button>
      <Button
        aria-label={of(disabled ? resume : pause)}
        disabled={act.isPending}
        onClick={() => act.mutate(disabled ? 'resume' : 'pause')}
      >
        {disabled ? resume : pause}
      </Button>
      <ConfirmButton
        label={__('New address', 'galley')}
        of={name}
        question={__('The current one works for 24 more hours.', 'galley')}
        disabled={act.isPending}
        onConfirm={() => act.mutate('rotate')}
      />
      <ConfirmButton
        label={__('Remove', 'galley')}
        of={name}
        question={__('What it has sent is removed too.', 'galley')}
        disabled={act.isPending}
        onConfirm={() => act.mutate('remove')}
      />
    </>
  )
}

/** Sends a sample to a source's address, which is known only now. */
function TrySource({ address }: { address: string }) {
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
