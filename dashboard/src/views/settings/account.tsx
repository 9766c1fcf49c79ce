import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { type Account, call } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay, useSessionRefresh } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Checkbox, Field, Form } from '../../components/form.tsx'
import { SecretPanel } from '../../components/panel.tsx'
import { Secret } from '../../components/secret.tsx'
import { describeError } from '../../components/states.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

/** The webhook for generated documents, and its signing. */
export function AccountSettings({ account }: { account: Account }) {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      {secret !== undefined && (
        <SecretPanel title={__('Signing secret', 'galley')} onStored={() => setSecret(undefined)}>
          <Secret value={secret} label={__('Signing secret', 'galley')} labelled />
        </SecretPanel>
      )}
      <section className="g-card g-section g-settings">
        <h2>{account.name}</h2>
        <AccountName key={account.name} account={account} />
        <p className="g-weak">
          {__('Created', 'galley')} <Time at={account.created_at} exact />
        </p>
        <Steps account={account} />
        <Signature account={account} onMade={setSecret} />
      </section>
    </>
  )
}

function Steps({ account: { notify_steps } }: { account: Account }) {
  const mayChange = useMay('account.change')
  const queryClient = useQueryClient()
  const notice = useNotice()
  const change = useMutation({
    mutationFn: (steps: boolean) => call('updateAccount', { body: { notify_steps: steps } }),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: ['account', 'own'] }).finally(() => setChosen(undefined)),
  })
  // At once: a mutation reports its pending state a moment after the click, and the box would be empty until then.
  const [chosen, setChosen] = useState<boolean>()
  const label = __('Notify of each step of a document', 'galley')
  const help = __(
    'The notification address of a request is told of each step, not only of the end.',
    'galley',
  )
  if (!mayChange)
    return (
      <p>
        {label}: {notify_steps ? __('Yes', 'galley') : __('No', 'galley')}
      </p>
    )
  return (
    <Checkbox
      label={label}
      help={help}
      checked={chosen ?? notify_steps}
      onChange={(steps) => {
        setChosen(steps)
        change.mutate(steps)
      }}
    />
  )
}

interface SignatureProps {
  account: Account
  onMade(secret: string): void
}

function Signature({ account: { signs_notifications }, onMade }: SignatureProps) {
  const mayChange = useMay('notifications.change')
  const change = useChange({
    changes: ['account'],
    mutationFn: async (action: 'make' | 'remove') => {
      if (action === 'make') onMade((await call('makeNotificationSecret')).data.secret)
      else await call('removeNotificationSecret')
    },
  })
  const [another, remove] = [__('Another secret', 'galley'), __('Remove', 'galley')]
  const of = __('Signing secret', 'galley')
  return (
    <div className="g-settings-line">
      <p>
        {__('Notifications to the address of a request', 'galley')}{' '}
        {signs_notifications ? (
          <Badge tone="good">{__('Signed', 'galley')}</Badge>
        ) : (
          <Badge tone="neutral">{__('Not signed', 'galley')}</Badge>
        )}
      </p>
      {mayChange &&
        (signs_notifications ? (
          <div className="g-actions">
            <ConfirmButton
              label={another}
              of={of}
              question={__('The current one stops working at once.', 'galley')}
              disabled={change.isPending}
              onConfirm={() => change.mutate('make')}
            />
            <ConfirmButton
              label={remove}
              of={of}
              question={__('Nothing is signed any more.', 'galley')}
              disabled={change.isPending}
              onConfirm={() => change.mutate('remove')}
            />
          </div>
        ) : (
          <Button disabled={change.isPending} onClick={() => change.mutate('make')}>
            {__('Create a signing secret', 'galley')}
          </Button>
        ))}
    </div>
  )
}

/** The name of the account, which owners of sites read when they are asked to connect. */
function AccountName({ account: { name: before } }: { account: Account }) {
  const mayChange = useMay('account.change')
  const queryClient = useQueryClient()
  const lookAtSession = useSessionRefresh()
  const [name, setName] = useState(before)
  const [changing, setChanging] = useState(false)
  const save = useMutation({
    mutationFn: () => call('updateAccount', { body: { name: name.trim() } }),
    onSuccess: async () => {
      setChanging(false)
      // The name is in the frame, too.
      lookAtSession()
      await queryClient.invalidateQueries({ queryKey: ['account', 'own'] })
    },
  })
  if (!mayChange) return null
  if (!changing)
    return (
      <Button
        onClick={() => {
          setName(before)
          setChanging(true)
        }}
      >
        {__('Rename', 'galley')}
      </Button>
    )
  return (
    <Form
      submit={__('Save', 'galley')}
      mutation={save}
      incomplete={name.trim() === ''}
      onCancel={() => {
        save.reset()
        setChanging(false)
      }}
    >
      <Field
        label={__('Name', 'galley')}
        help={__('Owners of sites read it when they are asked to connect.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        path="body.name"
      />
    </Form>
  )
}
