import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Key, type RotatedKey } from '../../api/client.ts'
import { useSession } from '../../app/session-context.ts'
import { Field } from '../../components/field.tsx'
import { Form, Select } from '../../components/form.tsx'
import { useLastDay } from './last-day.ts'

interface ReplaceKeyProps {
  of: Key
  onMade(key: RotatedKey): void
  onCancel(): void
}

/** Makes a key that takes the place of another, with the same name, role and sites. */
export function ReplaceKey({ of: { id, last_four, expires_at }, onMade, onCancel }: ReplaceKeyProps) {
  const queryClient = useQueryClient()
  const own = useSession().key.id === id
  const [hours, setHours] = useState('24')
  const { lastDay, setLastDay, changed } = useLastDay(expires_at)
  const replace = useMutation({
    mutationFn: async () => {
      const body = { overlap_hours: Number(hours), ...changed }
      return (await call('rotateKey', { path: { uuid: id }, body })).data
    },
    onSuccess: async (key) => {
      onMade(key)
      await queryClient.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Form
      submit={__('Create the new key', 'galley')}
      failure={replace.error}
      pending={replace.isPending}
      onSubmit={() => replace.mutate()}
      onCancel={onCancel}
    >
      <p className="g-weak">
        {__('The new key has the same name and role, and is for the same sites.', 'galley')}{' '}
        {own && __('You are signed in with the old key, and will be signed out when it ends.', 'galley')}
      </p>
      <Select
        label={sprintf(
          // translators: %s: the last four characters of a key
          __('The old key, …%s, stops working', 'galley'),
          last_four,
        )}
        value={hours}
        onChange={setHours}
        options={own ? later() : { 0: __('At once', 'galley'), ...later() }}
        failure={replace.error}
        path="body.overlap_hours"
      />
      <Field
        label={__('The new key expires after', 'galley')}
        help={__('Left empty, it does not expire.', 'galley')}
        type="date"
        value={lastDay}
        onChange={setLastDay}
        failure={replace.error}
        path="body.expires_at"
      />
    </Form>
  )
}

const later = () => ({
  1: __('In an hour', 'galley'),
  24: __('In a day', 'galley'),
  168: __('In a week', 'galley'),
  720: __('In 30 days', 'galley'),
})
