import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { type Answer, call, type ManagedAccount } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useSessionRefresh } from '../../app/session-context.ts'
import { Checkbox, changed, Field, Form } from '../../components/form.tsx'
import { formatNumber } from '../../components/format.ts'

/** A new account, with the key of its owner. */
export type MadeAccount = Answer<'createAccount'>['data']

interface AccountFormProps {
  /** Undefined for a new account. */
  account?: ManagedAccount
  onDone(made?: MadeAccount): void
  onCancel(): void
}

/** A form for an account's name and limit. */
export function AccountForm({ account: now, onDone, onCancel }: AccountFormProps) {
  const [account] = useState(now)
  const queryClient = useQueryClient()
  const lookAtSession = useSessionRefresh()
  const [name, setName] = useState(account?.name ?? '')
  const [unlimited, setUnlimited] = useState(account?.unlimited ?? true)
  const save = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim(), unlimited }
      if (account === undefined) return (await call('createAccount', { body })).data
      await call('changeAccount', { path: { uuid: account.id }, body: changed(account, body) })
      return undefined
    },
    onSuccess: async (made) => {
      onDone(made)
      // It may be the session's own account, whose name is in the frame.
      lookAtSession()
      await queryClient.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <Form
      submit={account ? __('Save', 'galley') : __('Create the account', 'galley')}
      mutation={save}
      incomplete={name.trim() === ''}
      onCancel={onCancel}
    >
      <Field
        label={__('Name', 'galley')}
        help={__('Owners of sites read it when they are asked to connect.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        path="body.name"
      />
      <Checkbox
        label={__('Without limit', 'galley')}
        help={__('What is created for it costs it no credits; it is still counted.', 'galley')}
        checked={unlimited}
        onChange={setUnlimited}
      />
    </Form>
  )
}

interface GrantFormProps {
  account: ManagedAccount
  onDone(): void
}

/** A form that grants credits to an account. */
export function GrantForm({ account: { id, name, credits }, onDone }: GrantFormProps) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  const grant = useMutation({
    mutationFn: () => {
      const body = { amount: Number(amount), ...(note.trim() !== '' && { note: note.trim() }) }
      return call('grantCredits', { path: { uuid: id }, body })
    },
    onSuccess: async ({ data }) => {
      onDone()
      notice({
        text: sprintf(
          // translators: 1: name of an account, 2: a number
          _n('%1$s has %2$s credit now.', '%1$s has %2$s credits now.', data.credits, 'galley'),
          name,
          formatNumber(data.credits),
        ),
      })
      await queryClient.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <Form
      submit={__('Give credits', 'galley')}
      mutation={grant}
      incomplete={!(Number(amount) >= 1)}
      onCancel={onDone}
    >
      <Field
        label={__('How many credits', 'galley')}
        help={sprintf(
          // translators: %s: a number
          __('It has %s now.', 'galley'),
          formatNumber(credits),
        )}
        type="number"
        inputMode="numeric"
        min={1}
        max={1_000_000}
        value={amount}
        onChange={setAmount}
        path="body.amount"
      />
      <Field
        label={__('What for', 'galley')}
        help={__('Shown next to the credits in the account’s history.', 'galley')}
        value={note}
        onChange={setNote}
        autoComplete="off"
        path="body.note"
      />
    </Form>
  )
}
