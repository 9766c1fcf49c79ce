import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { useState } from 'react'
import { parseLabels } from '../../../../src/lib/label-list.ts'
import { call, type Key, type KeyWithSecret, type RotatedKey } from '../../api/client.ts'
import { useSession } from '../../app/session-context.ts'
import { changed, Field, Form, Select } from '../../components/form.tsx'
import { mayBeLimited, type Role, roles, rolesBelow } from '../../components/roles.ts'
import { LimitFields, type SitesAndLabels } from '../../components/site-choice.tsx'
import { dayAfter, lastDayBefore } from '../../components/time.tsx'

interface KeyFormProps {
  onMade(key: KeyWithSecret): void
  onCancel(): void
}

/** A form for a key's name, role, sites and end. */
export function KeyForm({ onMade, onCancel }: KeyFormProps) {
  const session = useSession()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [limit, setLimit] = useState<SitesAndLabels>({ sites: [], labels: '' })
  const [lastDay, setLastDay] = useState('')
  const make = useMutation({
    mutationFn: async () => {
      const limits = mayBeLimited(role) ? { site_ids: limit.sites, labels: parseLabels(limit.labels) } : {}
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
      mutation={make}
      incomplete={name.trim() === ''}
      onCancel={onCancel}
    >
      <Field
        label={__('Who or what it is for', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        path="body.name"
      />
      <Select
        label={__('Role', 'galley')}
        guide="api.md#who-may-call-what"
        help={roles[role].means()}
        value={role}
        onChange={(value) => setRole(value as Role)}
        options={Object.fromEntries(rolesBelow(session.role).map((one) => [one, roles[one].label()]))}
      />
      {mayBeLimited(role) ? (
        <LimitFields
          labels={__('And on sites with one of these labels', 'galley')}
          value={limit}
          onChange={setLimit}
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
      <LastDay label={__('Expires after', 'galley')} value={lastDay} onChange={setLastDay} />
    </Form>
  )
}

interface ChangeKeyProps {
  of: Key
  onDone(): void
}

/** A form for a key's name and end. The rest cannot change. */
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
    <Form submit={__('Save', 'galley')} mutation={save} incomplete={name.trim() === ''} onCancel={onDone}>
      <Field
        label={__('Who or what it is for', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        path="body.name"
      />
      <LastDay label={__('Expires after', 'galley')} value={lastDay} onChange={setLastDay} />
    </Form>
  )
}

interface ReplaceKeyProps {
  of: Key
  onMade(key: RotatedKey): void
  onCancel(): void
}

/** A form that replaces a key by a new one with the same name, role and sites. */
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
    <Form submit={__('Create the new key', 'galley')} mutation={replace} onCancel={onCancel}>
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
        path="body.overlap_hours"
      />
      <LastDay label={__('The new key expires after', 'galley')} value={lastDay} onChange={setLastDay} />
    </Form>
  )
}

const later = () => ({
  1: __('In an hour', 'galley'),
  24: __('In a day', 'galley'),
  168: __('In a week', 'galley'),
  720: __('In 30 days', 'galley'),
})

/** The last day of a key as a form field. An unchanged day is not sent, so that the key keeps its hour. */
function useLastDay(expiresAt: string | null) {
  const before = expiresAt === null ? '' : lastDayBefore(expiresAt)
  const [lastDay, setLastDay] = useState(before)
  const changed = lastDay === before ? {} : { expires_at: dayAfter(lastDay) ?? null }
  return { lastDay, setLastDay, changed }
}

const LastDay = (props: { label: string; value: string; onChange(day: string): void }) => (
  <Field
    help={__('Left empty, it does not expire.', 'galley')}
    type="date"
    path="body.expires_at"
    {...props}
  />
)
