import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Key } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { dayAfter, lastDayBefore } from '../../components/time.tsx'

interface ChangeKeyProps {
  of: Key
  onDone(): void
}

/** A key's name and end. What it may do stays as it was made. */
export function ChangeKey({ of: { id, name: before, expires_at }, onDone }: ChangeKeyProps) {
  const queryClient = useQueryClient()
  const endBefore = expires_at === null ? '' : lastDayBefore(expires_at)
  const [name, setName] = useState(before)
  const [lastDay, setLastDay] = useState(endBefore)
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: name.trim(),
        // One that ends within a day keeps its hour.
        ...(lastDay !== endBefore && { expires_at: dayAfter(lastDay) ?? null }),
      }
      return call('updateKey', { path: { uuid: id }, body })
    },
    onSuccess: async () => {
      onDone()
      await queryClient.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Form
      submit={__('Save', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => save.mutate()}
      onCancel={onDone}
    >
      <Field
        label={__('Who or what it is for', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        failure={save.error}
        path="body.name"
      />
      <Field
        label={__('Expires after', 'galley')}
        help={__('Left empty, it does not expire.', 'galley')}
        type="date"
        value={lastDay}
        onChange={setLastDay}
        failure={save.error}
        path="body.expires_at"
      />
    </Form>
  )
}
