import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, _n, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type ManagedAccount } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { inWords } from '../../components/number.ts'

interface GrantFormProps {
  account: ManagedAccount
  onDone(): void
}

/** Gives an account credits. */
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
          inWords(data.credits),
        ),
      })
      await queryClient.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <Form
      submit={__('Give credits', 'galley')}
      failure={grant.error}
      pending={grant.isPending}
      incomplete={!(Number(amount) >= 1)}
      onSubmit={() => grant.mutate()}
      onCancel={onDone}
    >
      <Field
        label={__('How many credits', 'galley')}
        help={sprintf(
          // translators: %s: a number
          __('It has %s now.', 'galley'),
          inWords(credits),
        )}
        type="number"
        inputMode="numeric"
        min={1}
        max={1_000_000}
        value={amount}
        onChange={setAmount}
        failure={grant.error}
        path="body.amount"
      />
      <Field
        label={__('What for', 'galley')}
        help={__('Shown next to the credits in the account’s history.', 'galley')}
        value={note}
        onChange={setNote}
        autoComplete="off"
        failure={grant.error}
        path="body.note"
      />
    </Form>
  )
}
