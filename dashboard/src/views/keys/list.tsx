import { useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import type { Key, KeyWithSecret } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Rows } from '../../components/rows.tsx'
import { Secret } from '../../components/secret.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { Time } from '../../components/time.tsx'
import { useSecrets } from '../../components/use-secrets.ts'
import { keysQuery } from '../../data/keys.ts'
import { ChangeKey } from './change.tsx'
import { KeyForm } from './form.tsx'
import { ReplaceKey } from './replace.tsx'
import { KeyRow } from './row.tsx'

/** The form that is open above the list. */
type Open = { kind: 'new' } | { kind: 'change' | 'replace'; key: Key }

type MadeKey = KeyWithSecret & { previous_key_until?: string | null }

/** API keys: made, limited, replaced, revoked. */
export default function Keys() {
  const [{ cursor }] = useAddressSearch()
  const query = useQuery(keysQuery({ cursor }))
  const [open, setOpen] = useState<Open>()
  const { secrets, show, putAway } = useSecrets<MadeKey>()
  const close = () => setOpen(undefined)
  const onMade = (key: MadeKey) => {
    close()
    show(key)
  }
  const make = (
    <button type="button" className="g-button primary" onClick={() => setOpen({ kind: 'new' })}>
      {__('Create a key', 'galley')}
    </button>
  )
  return (
    <>
      <Head title={__('Keys', 'galley')} actions={make}>
        {__('What people and programs sign in with, and what each may do.', 'galley')}
      </Head>
      {open?.kind === 'new' && (
        <Panel title={__('Create a key', 'galley')}>
          <KeyForm onCancel={close} onMade={onMade} />
        </Panel>
      )}
      {open?.kind === 'change' && (
        <Panel key={open.key.id} title={open.key.name}>
          <ChangeKey of={open.key} onDone={close} />
        </Panel>
      )}
      {open?.kind === 'replace' && (
        <Panel
          key={open.key.id}
          title={sprintf(
            // translators: %s: the name of a key
            __('Replace %s', 'galley'),
            open.key.name,
          )}
        >
          <ReplaceKey of={open.key} onCancel={close} onMade={onMade} />
        </Panel>
      )}
      {secrets.map((made) => (
        <SecretPanel key={made.id} title={made.name} onStored={() => putAway(made)}>
          <Secret value={made.key} label={__('API key', 'galley')} labelled />
          {made.previous_key_until && (
            <p className="g-weak">
              {__('The old key works until', 'galley')} <Time at={made.previous_key_until} exact />
            </p>
          )}
        </SecretPanel>
      ))}
      <Rows
        query={query}
        label={__('Keys', 'galley')}
        empty={<Empty title={__('No key yet', 'galley')} actions={make} />}
      >
        {(key) => (
          <KeyRow
            of={key}
            onChange={() => setOpen({ kind: 'change', key })}
            onReplace={() => setOpen({ kind: 'replace', key })}
          />
        )}
      </Rows>
    </>
  )
}
