import { useQuery } from '@tanstack/react-query'
import { __, _n, _x, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type ManagedAccount } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useNotice } from '../../app/notices.tsx'
import { useSession } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Secret, useSecrets } from '../../components/secret.tsx'
import { Message } from '../../components/states.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { AccountForm, GrantForm, type MadeAccount } from './form.tsx'

/** The open form above the list. */
type Open = { is: 'making' } | { is: 'changing' | 'granting'; account: ManagedAccount }

/** The accounts: create, rename, disable, grant credits. */
export default function Accounts() {
  const [{ cursor }] = useAddressSearch()
  const query = useQuery(accountsQuery({ cursor }))
  const [open, setOpen] = useState<Open>()
  const { secrets, show, putAway } = useSecrets<MadeAccount>()
  const close = () => setOpen(undefined)

  const make = (
    <Button primary onClick={() => setOpen({ is: 'making' })}>
      {__('Create an account', 'galley')}
    </Button>
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
        empty={<Message title={__('No account yet', 'galley')} actions={make} />}
      >
        {(account) => <AccountRow account={account} onOpen={setOpen} />}
      </Rows>
    </>
  )
}

const titleOf = (open: Open): string =>
  open.is === 'making' ? __('Create an account', 'galley') : open.account.name

interface AccountRowProps {
  account: ManagedAccount
  onOpen(open: Open): void
}

/** An account. Disabling takes effect at once. */
function AccountRow({ account, onOpen }: AccountRowProps) {
  const { id, name, credits, unlimited, created_at, disabled_at } = account
  const own = useSession().account.id === id
  return (
    <Row
      title={name}
      state={
        disabled_at ? (
          <Badge tone="bad">{__('Disabled', 'galley')}</Badge>
        ) : (
          own && <Badge tone="info">{_x('Yours', 'account', 'galley')}</Badge>
        )
      }
      actions={<Actions account={account} own={own} onOpen={onOpen} />}
    >
      <p>
        {unlimited
          ? __('Without limit', 'galley')
          : sprintf(
              // translators: %s: a number
              _n('%s credit', '%s credits', credits, 'galley'),
              formatNumber(credits),
            )}
      </p>
      <p className="g-weak">
        {__('Created', 'galley')} <Time at={created_at} />
        {disabled_at && (
          <>
            {' · '}
            {__('Disabled', 'galley')} <Time at={disabled_at} />
          </>
        )}
      </p>
    </Row>
  )
}

function Actions({ account, own, onOpen }: AccountRowProps & { own: boolean }) {
  const { id, name, disabled_at } = account
  const notice = useNotice()
  const change = useChange({
    changes: ['accounts'],
    mutationFn: async (disabled: boolean) => {
      await call('changeAccount', { path: { uuid: id }, body: { disabled } })
      return disabled
    },
    onSuccess: (disabled) => {
      if (disabled)
        notice({
          text: sprintf(
            // translators: %s: the name of an account
            __('%s is disabled: its keys and webhooks are refused, its deliveries wait.', 'galley'),
            name,
          ),
          action: { label: __('Undo', 'galley'), run: () => change.mutate(false) },
        })
    },
  })
  const button = (label: string, act: () => void) => (
    <Button aria-label={`${label}: ${name}`} disabled={change.isPending} onClick={act}>
      {label}
    </Button>
  )
  return (
    <>
      {button(__('Change', 'galley'), () => onOpen({ is: 'changing', account }))}
      {button(__('Give credits', 'galley'), () => onOpen({ is: 'granting', account }))}
      {/* Nobody can disable their own account. */}
      {!own &&
        (disabled_at === null
          ? button(__('Disable', 'galley'), () => change.mutate(true))
          : button(__('Enable', 'galley'), () => change.mutate(false)))}
    </>
  )
}
