import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type ManagedAccount } from '../../api/client.ts'
import { useSessionRefresh } from '../../app/session-context.ts'
import { changed } from '../../components/changed.ts'
import { Field } from '../../components/field.tsx'
import { Checkbox, Form } from '../../components/form.tsx'
import type { MadeAccount } from './list.tsx'

interface AccountFormProps {
  /** Left out to make one. */
  account?: ManagedAccount
  /** @param made a new one, with the key of its owner */
  onDone(made?: MadeAccount): void
  onCancel(): void
}

/** An account's name, and whether what is made for it costs it credits. */
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
      // It may be one's own, whose name stands at the top.
      lookAtSession()
      await queryClient.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <Form
      submit={account ? __('Save', 'galley') : __('Create the account', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => save.mutate()}
      onCancel={onCancel}
    >
      <Field
        label={__('Name', 'galley')}
        help={__('Owners of sites read it when they are asked to connect.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        failure={save.error}
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
