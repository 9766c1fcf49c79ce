import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Key } from '../../api/client.ts'
import { changed } from '../../components/changed.ts'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useLastDay } from './last-day.ts'

interface ChangeKeyProps {
  of: Key
  onDone(): void
}

/** A key's name and end. What it may do stays as it was made. */
export function ChangeKey({ of, onDone }: ChangeKeyProps) {
  const [before] = useState(of)
  const queryClient = useQueryClient()
  const [name, setName] = useState(before.name)
  const { lastDay, setLastDay, changed: changedEnd } = useLastDay(before.expires_at)
  const save = useMutation({
    mutationFn: () => {
      const body = { ...changed(before, { name: name.trim() }), ...changedEnd }
      return call('updateKey', { path: { uuid: before.id }, body })
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
