import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Key, KeyWithSecret } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Head } from '../../components/head.tsx'
import { Once, Panel } from '../../components/panel.tsx'
import { Rows } from '../../components/rows.tsx'
import { Secret } from '../../components/secret.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { keysQuery } from '../../data/keys.ts'
import { ChangeKey } from './change.tsx'
import { KeyForm } from './form.tsx'
import { KeyRow } from './row.tsx'

/** API keys: made, limited, revoked. */
export default function Keys() {
  const [{ cursor }] = useAddressSearch()
  const query = useQuery(keysQuery({ cursor }))
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<KeyWithSecret>()
  const [changing, setChanging] = useState<Key>()

  function begin() {
    setMade(undefined)
    setChanging(undefined)
    setMaking(true)
  }

  const make = (
    <button type="button" className="g-button primary" onClick={begin}>
      {__('Create a key', 'galley')}
    </button>
  )
  return (
    <>
      <Head title={__('Keys', 'galley')} actions={make}>
        {__('What people and programs sign in with, and what each may do.', 'galley')}
      </Head>
      {making && (
        <Panel title={__('Create a key', 'galley')}>
          <KeyForm
            onCancel={() => setMaking(false)}
            onMade={(key) => {
              setMaking(false)
              setMade(key)
            }}
          />
        </Panel>
      )}
      {changing && (
        <Panel key={changing.id} title={changing.name}>
          <ChangeKey of={changing} onDone={() => setChanging(undefined)} />
        </Panel>
      )}
      {made && (
        <Once key={made.id} title={made.name} onKept={() => setMade(undefined)}>
          <Secret value={made.key} label={__('API key', 'galley')} labelled />
        </Once>
      )}
      <Rows
        query={query}
        label={__('Keys', 'galley')}
        empty={<Empty title={__('No key yet', 'galley')} actions={make} />}
      >
        {(key) => (
          <KeyRow
            of={key}
            onChange={() => {
              setMaking(false)
              setChanging(key)
            }}
          />
        )}
      </Rows>
    </>
  )
}
