import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { call, type Source, type SourceWithSecrets } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { Secret } from '../../components/secret.tsx'
import { wordsFor } from '../../components/states/failure.tsx'

interface MakeSourceProps {
  /** With its address where it was made a moment ago. */
  source: Source | SourceWithSecrets | undefined
  onMade(source: SourceWithSecrets): void
}

/** A source: its address is shown only once. */
export function MakeSource({ source, onMade }: MakeSourceProps) {
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
        <p className="g-field-mistake" role="alert">
          {wordsFor(make.error).text}
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
