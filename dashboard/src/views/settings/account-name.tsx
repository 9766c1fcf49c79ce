import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { type Account, call } from '../../api/client.ts'
import { useMay, useSessionRefresh } from '../../app/session-context.ts'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'

/** What the account is called: who asks to connect, as the owner of a site reads it. */
export function AccountName({ account: { name: before } }: { account: Account }) {
  const mayChange = useMay('account.change')
  const queryClient = useQueryClient()
  const lookAtSession = useSessionRefresh()
  const [name, setName] = useState(before)
  const [changing, setChanging] = useState(false)
  const save = useMutation({
    mutationFn: () => call('updateAccount', { body: { name: name.trim() } }),
    onSuccess: async () => {
      setChanging(false)
      // It stands at the top, too.
      lookAtSession()
      await queryClient.invalidateQueries({ queryKey: ['account', 'own'] })
    },
  })
  if (!mayChange) return null
  if (!changing)
    return (
      <button
        type="button"
        className="g-button"
        onClick={() => {
          setName(before)
          setChanging(true)
        }}
      >
        {__('Rename', 'galley')}
      </button>
    )
  return (
    <Form
      submit={__('Save', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => save.mutate()}
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
        failure={save.error}
        path="body.name"
      />
    </Form>
  )
}
