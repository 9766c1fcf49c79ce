import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Receiver, type ReceiverWithSecret } from '../../api/client.ts'
import { Checkbox, Choice, changed, Field, Form, Select } from '../../components/form.tsx'
import { labelsIn, labelText } from '../../components/label-text.ts'
import { type SitesAndLabels, SitesAndLabelsFields } from '../../components/site-choice.tsx'
import { type Outcome, outcomes } from './words.tsx'

interface ReceiverFormProps {
  /** Undefined for a new receiver. */
  receiver?: Receiver
  /** With the secret of a new receiver. */
  onDone(added: ReceiverWithSecret | undefined): void
  onCancel(): void
}

/** The API's default. */
const USUAL_MINUTES = 15

const all = Object.keys(outcomes) as Outcome[]

/** A form for a receiver: a webhook or mail address, and its events. */
export function ReceiverForm({ receiver: now, onDone, onCancel }: ReceiverFormProps) {
  const [receiver] = useState(now)
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<string>(receiver?.kind ?? 'webhook')
  const [name, setName] = useState(receiver?.name ?? '')
  const [address, setAddress] = useState(receiver?.url.replace(/^mailto:/, '') ?? '')
  const [events, setEvents] = useState<Outcome[]>(receiver?.events ?? all)
  const [limit, setLimit] = useState<SitesAndLabels>({
    sites: receiver?.site_ids ?? [],
    labels: labelText(receiver?.labels ?? []),
  })
  const [minutes, setMinutes] = useState(String(receiver?.digest_minutes ?? USUAL_MINUTES))
  const isMail = kind === 'email'
  const save = useMutation({
    mutationFn: async () => {
      const url = isMail ? `mailto:${address.trim()}` : address.trim()
      const limits = { site_ids: limit.sites, labels: labelsIn(limit.labels) }
      const gathered = isMail && { digest_minutes: Number(minutes) }
      const body = { name: name.trim(), url, events, ...limits, ...gathered }
      if (!receiver) return (await call('createReceiver', { body })).data
      await call('updateReceiver', { path: { uuid: receiver.id }, body: changed(receiver, body) })
      return undefined
    },
    onSuccess: async (added) => {
      onDone(added)
      await queryClient.invalidateQueries({ queryKey: ['receivers'] })
    },
  })
  const addressIs = {
    label: isMail ? __('Mailbox', 'galley') : __('Webhook address', 'galley'),
    placeholder: isMail ? 'ann@example.com' : 'https://example.com/hook',
  }

  function choose(next: string) {
    setKind(next)
    // A mail for every post would be too many by default.
    setEvents(next === 'email' ? all.filter((event) => event !== 'delivery.delivered') : all)
  }

  return (
    <Form
      submit={receiver ? __('Save', 'galley') : __('Add', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === '' || address.trim() === '' || events.length === 0}
      onSubmit={() => save.mutate()}
      onCancel={onCancel}
    >
      {!receiver && (
        <Select
          label={__('How to notify', 'galley')}
          value={kind}
          onChange={choose}
          options={{ webhook: __('Webhook', 'galley'), email: __('Email', 'galley') }}
        />
      )}
      <Field
        label={__('Who is notified', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        failure={save.error}
        path="body.name"
      />
      <Field
        {...addressIs}
        value={address}
        onChange={setAddress}
        inputMode={isMail ? 'email' : 'url'}
        autoComplete="off"
        dir="ltr"
        failure={save.error}
        path="body.url"
      />
      <Choice legend={__('Events', 'galley')}>
        {all.map((event) => (
          <Checkbox
            key={event}
            label={outcomes[event]()}
            checked={events.includes(event)}
            onChange={(checked) =>
              setEvents(all.filter((one) => (one === event ? checked : events.includes(one))))
            }
          />
        ))}
      </Choice>
      <SitesAndLabelsFields
        asked={{
          sites: __('Only of these sites (none chosen: of all)', 'galley'),
          labels: __('And of sites with one of these labels', 'galley'),
        }}
        value={limit}
        onChange={setLimit}
        failure={save.error}
        path="body.labels"
      />
      {isMail && (
        <Field
          label={__('Minutes between two mails about deliveries', 'galley')}
          help={__('What happens to sites is sent at once.', 'galley')}
          type="number"
          min={1}
          max={24 * 60}
          value={minutes}
          onChange={setMinutes}
          failure={save.error}
          path="body.digest_minutes"
        />
      )}
    </Form>
  )
}
