import { useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Key, type KeyWithSecret } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { useNotice } from '../../app/notices.tsx'
import { useSession } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { roles, rolesBelow } from '../../components/roles.ts'
import { Row, Rows } from '../../components/rows.tsx'
import { Secret, useSecrets } from '../../components/secret.tsx'
import { SitesInWords } from '../../components/site-choice.tsx'
import { Message } from '../../components/states.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { keysQuery } from '../../data/accounts.ts'
import { ChangeKey, KeyForm, ReplaceKey } from './form.tsx'

/** The open form above the list. */
type Open = { kind: 'new' } | { kind: 'change' | 'replace'; key: Key }

type MadeKey = KeyWithSecret & { previous_key_until?: string | null }

/** The API keys: create, limit, replace, revoke. */
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
    <Button primary onClick={() => setOpen({ kind: 'new' })}>
      {__('Create a key', 'galley')}
    </Button>
  )
  return (
    <>
      <Head title={__('Keys', 'galley')} actions={make}>
        {__('What people and programs sign in with, and what each may do.', 'galley')}
      </Head>
      {open && (
        <Panel key={open.kind === 'new' ? '' : open.key.id + open.kind} title={titleOf(open)}>
          {open.kind === 'new' && <KeyForm onCancel={close} onMade={onMade} />}
          {open.kind === 'change' && <ChangeKey of={open.key} onDone={close} />}
          {open.kind === 'replace' && <ReplaceKey of={open.key} onCancel={close} onMade={onMade} />}
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
        empty={<Message title={__('No key yet', 'galley')} actions={make} />}
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

function titleOf(open: Open): string {
  if (open.kind === 'new') return __('Create a key', 'galley')
  // translators: %s: the name of a key
  return open.kind === 'change' ? open.key.name : sprintf(__('Replace %s', 'galley'), open.key.name)
}

interface KeyRowProps {
  of: Key
  onChange(): void
  onReplace(): void
}

/** A key. Revoking takes effect at once. */
function KeyRow({ of: key, onChange, onReplace }: KeyRowProps) {
  const { id, name, last_four, role, site_ids, labels, expires_at, last_used_at, revoked_at } = key
  const session = useSession()
  const notice = useNotice()
  const revoke = useChange({
    changes: ['keys'],
    mutationFn: () => call('revokeKey', { path: { uuid: id } }),
    onSuccess: () => notice({ text: sprintf(__('%s is revoked.', 'galley'), name) }),
  })
  const own = session.key.id === id
  const mayChange = revoked_at === null && rolesBelow(session.role).includes(role)
  const [change, replace] = [__('Change', 'galley'), __('Replace', 'galley')]
  return (
    <Row
      title={name}
      state={<State of={key} own={own} />}
      actions={
        mayChange && (
          <>
            <Button aria-label={`${change}: ${name}`} onClick={onChange}>
              {change}
            </Button>
            {!isOver(expires_at) && (
              <Button aria-label={`${replace}: ${name}`} onClick={onReplace}>
                {replace}
              </Button>
            )}
            <ConfirmButton
              label={__('Revoke', 'galley')}
              of={name}
              question={
                own
                  ? __('You are signed in with it, and will be signed out.', 'galley')
                  : __('It ends at once, for good.', 'galley')
              }
              disabled={revoke.isPending}
              onConfirm={() => revoke.mutate()}
            />
          </>
        )
      }
    >
      <p>
        {roles[role].label()} · <SitesInWords sites={site_ids} labels={labels} />
      </p>
      <p className="g-weak">
        <code dir="ltr">…{last_four}</code>
        {' · '}
        {last_used_at ? (
          <>
            {__('Last used', 'galley')} <Time at={last_used_at} />
          </>
        ) : (
          __('Never used', 'galley')
        )}
        {expires_at && (
          <>
            {' · '}
            {__('Works until', 'galley')} <Time at={expires_at} exact />
          </>
        )}
      </p>
    </Row>
  )
}

function State({ of: { revoked_at, expires_at }, own }: { of: Key; own: boolean }) {
  if (revoked_at) return <Badge tone="bad">{__('Revoked', 'galley')}</Badge>
  if (isOver(expires_at)) return <Badge tone="warning">{__('Expired', 'galley')}</Badge>
  return own ? <Badge tone="info">{__('Yours', 'galley')}</Badge> : null
}

const isOver = (end: string | null): boolean => end !== null && Date.parse(end) <= Date.now()
