import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Answer, ManagedAccount } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Rows } from '../../components/rows.tsx'
import { Secret } from '../../components/secret.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { useSecrets } from '../../components/use-secrets.ts'
import { accountsQuery } from '../../data/accounts.ts'
import { AccountForm } from './form.tsx'
import { GrantForm } from './grant.tsx'
import { AccountRow } from './row.tsx'

export type MadeAccount = Answer<'createAccount'>['data']

/** What is open above the list: a form, of an account or of a new one. */
export type Open = { is: 'making' } | { is: 'changing' | 'granting'; account: ManagedAccount }

/** Accounts: made, renamed, disabled, given credits. */
export default function Accounts() {
  const [{ cursor }] = useAddressSearch()
  const query = useQuery(accountsQuery({ cursor }))
  const [open, setOpen] = useState<Open>()
  const { secrets, show, putAway } = useSecrets<MadeAccount>()
  const close = () => setOpen(undefined)

  const make = (
    <button type="button" className="g-button primary" onClick={() => setOpen({ is: 'making' })}>
      {__('Create an account', 'galley')}
    </button>
  )
  return (
    <>
      <Head title={__('Accounts', 'galley')} actions={make}>
        {__('Who uses this Galley, each with sites, sources and keys that nobody else sees.', 'galley')}
      </Head>
      {open && (
        <Panel key={open.is === 'making' ? '' : open.account.id + open.is} title={titleOf(open)}>
          {open.is === 'granting' ? (
            <GrantForm account={open.account} onDone={close} />
          ) : (
            <AccountForm
              {...(open.is === 'changing' && { account: open.account })}
              onCancel={close}
              onDone={(account) => {
                close()
                if (account) show(account)
              }}
            />
          )}
        </Panel>
      )}
      {secrets.map((made) => (
        <SecretPanel key={made.account.id} title={made.account.name} onStored={() => putAway(made)}>
          <Secret value={made.key} label={__('API key of its owner', 'galley')} labelled />
        </SecretPanel>
      ))}
      <Rows
        query={query}
        label={__('Accounts', 'galley')}
        empty={<Empty title={__('No account yet', 'galley')} actions={make} />}
      >
        {(account) => <AccountRow account={account} onOpen={setOpen} />}
      </Rows>
    </>
  )
}

const titleOf = (open: Open): string =>
  open.is === 'making' ? __('Create an account', 'galley') : open.account.name
