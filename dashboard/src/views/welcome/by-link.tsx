import { useMutation } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { WaitForOwner } from '../../components/connect-link.tsx'
import { Field } from '../../components/field.tsx'
import { wordsFor } from '../../components/states/failure.tsx'

interface ByLinkProps {
  /** Of the site that is to be connected; a new one where left out. */
  id: string | undefined
  /** The link that is waited for, where there is one. */
  link: string | undefined
  /** Another link is waited for, or none. */
  onLink(id: string | undefined): void
  onConnected(siteId: string): void
}

/** WordPress's own approval page, in another window; here it is waited for. No password changes hands. */
export function ByLink({ id, link, onLink, onConnected }: ByLinkProps) {
  const [url, setUrl] = useState('')
  const make = useMutation({
    mutationFn: async () => (await call('createConnectLink', { body: { id, url: url.trim() } })).data,
    onSuccess: (made) => onLink(made.id),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  if (link !== undefined)
    return (
      <WaitForOwner
        id={link}
        address={make.data?.id === link ? make.data.link : undefined}
        onConnected={onConnected}
        onAnew={() => onLink(undefined)}
      />
    )
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
          {wordsFor(make.error).text}
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
