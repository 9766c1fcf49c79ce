import { useMutation, useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { type FormEvent, useEffect, useState } from 'react'
import { call, type Site } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { Secret } from '../../components/secret.tsx'
import { Loading } from '../../components/states/loading.tsx'

/** WordPress's own approval page, in another window; here it is waited for. No password changes hands. */
export function ByLink({ onConnected }: { onConnected(site: Pick<Site, 'id' | 'name' | 'url'>): void }) {
  const [url, setUrl] = useState('')
  const make = useMutation({
    mutationFn: async () => (await call('createConnectLink', { body: { url: url.trim() } })).data,
  })
  const link = make.data

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  if (link) return <Waiting id={link.id} address={link.link} onConnected={onConnected} />
  return (
    <form className="g-form" onSubmit={submit} noValidate>
      <Field
        label={__('Address of the site', 'galley')}
        help={__('As you know it: example.com, or the address of any post on it.', 'galley')}
        value={url}
        onChange={setUrl}
        inputMode="url"
        autoComplete="url"
        dir="ltr"
        placeholder="example.com"
        failure={make.error}
        path="body.url"
      />
      {make.error && (
        <p className="g-field-mistake" role="alert">
          {make.error.message}
        </p>
      )}
      <div>
        <button type="submit" className="g-button primary" disabled={make.isPending || url.trim() === ''}>
          {make.isPending ? __('Looking for WordPress…', 'galley') : __('Continue', 'galley')}
        </button>
      </div>
    </form>
  )
}

const LOOK_MS = 2_000

interface WaitingProps {
  id: string
  address: string
  onConnected(site: Pick<Site, 'id' | 'name' | 'url'>): void
}

function Waiting({ id, address, onConnected }: WaitingProps) {
  const link = useQuery({
    queryKey: ['connect-links', 'one', id],
    queryFn: async ({ signal }) => (await call('getConnectLink', { path: { uuid: id } }, signal)).data,
    refetchInterval: LOOK_MS,
  })
  const siteId = link.data?.status === 'used' ? link.data.site_id : null
  const site = useQuery({
    queryKey: ['sites', 'one', siteId],
    queryFn: async () => (await call('getSite', { path: { uuid: siteId ?? '' } })).data,
    enabled: siteId !== null,
  })
  useEffect(() => {
    if (site.data) onConnected(site.data)
  }, [site.data, onConnected])

  // The page is Galley's own, under whichever name this one was opened.
  const path = new URL(address).pathname
  return (
    <div className="g-form">
      <p>
        <a className="g-button primary" href={path} target="_blank" rel="noopener">
          {__('Open the approval page', 'galley')}
        </a>
      </p>
      <p className="g-weak">{__('Or send this link to the owner of the site; it works once:', 'galley')}</p>
      <Secret value={address} label={__('Link for the owner', 'galley')} />
      {link.data?.problem && <p className="g-field-mistake">{link.data.problem.message}</p>}
      <div className="g-waits">
        <Loading />
        <p>{__('Waiting for the approval. This page continues by itself.', 'galley')}</p>
      </div>
    </div>
  )
}
