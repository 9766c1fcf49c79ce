import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type KeyWithSecret } from '../../api/client.ts'
import { useSession } from '../../app/session-context.ts'
import { Field } from '../../components/field.tsx'
import { Form, Select } from '../../components/form.tsx'
import { labelsIn } from '../../components/label-text.ts'
import { mayBeLimited, type Role, roles, rolesBelow } from '../../components/roles.ts'
import { type SitesAndLabels, SitesAndLabelsFields } from '../../components/site-choice.tsx'
import { dayAfter } from '../../components/time.tsx'

interface KeyFormProps {
  onMade(key: KeyWithSecret): void
  onCancel(): void
}

/** What a key is for, what it may do, on which sites and for how long. */
export function KeyForm({ onMade, onCancel }: KeyFormProps) {
  const session = useSession()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [limit, setLimit] = useState<SitesAndLabels>({ sites: [], labels: '' })
  const [lastDay, setLastDay] = useState('')
  const make = useMutation({
    mutationFn: async () => {
      const limits = mayBeLimited(role) ? { site_ids: limit.sites, labels: labelsIn(limit.labels) } : {}
      const body = { name: name.trim(), role, ...limits, expires_at: dayAfter(lastDay) ?? null }
      return (await call('createKey', { body })).data
    },
    onSuccess: async (key) => {
      onMade(key)
      await queryClient.invalidateQueries({ queryKey: ['keys'] })
    },
  })

  return (
    <Form
      submit={__('Create the key', 'galley')}
      failure={make.error}
      pending={make.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => make.mutate()}
      onCancel={onCancel}
    >
      <Field
        label={__('Who or what it is for', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        failure={make.error}
        path="body.name"
      />
      <Select
        label={__('Role', 'galley')}
        help={roles[role].means()}
        value={role}
        onChange={(value) => setRole(value as Role)}
        options={Object.fromEntries(rolesBelow(session.role).map((one) => [one, roles[one].label()]))}
      />
      {mayBeLimited(role) ? (
        <SitesAndLabelsFields
          asked={{
            sites: __('Only on these sites (none chosen: on all)', 'galley'),
            labels: __('And on sites with one of these labels', 'galley'),
          }}
          value={limit}
          onChange={setLimit}
          failure={make.error}
          path="body.labels"
        />
      ) : (
        <p className="g-weak" role="status">
          {__(
            'It is for all sites: with this role you can create keys, and so also one without a limit.',
            'galley',
          )}
        </p>
      )}
      <Field
        label={__('Expires after', 'galley')}
        help={__('Left empty, it does not expire.', 'galley')}
        type="date"
        value={lastDay}
        onChange={setLastDay}
        failure={make.error}
        path="body.expires_at"
      />
    </Form>
  )
}
