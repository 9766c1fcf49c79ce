import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type ReceiverWithSecret } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { Choice, Form, Select, Tick } from '../../components/form.tsx'
import { labelsIn, SiteChoice } from '../../components/site-choice.tsx'
import { type Outcome, outcomes } from './words.tsx'

interface ReceiverFormProps {
  onMade(receiver: ReceiverWithSecret): void
  onCancel(): void
}

const all = Object.keys(outcomes) as Outcome[]

/** An address that is sent a POST, or a mailbox, and of what it is told. */
export function ReceiverForm({ onMade, onCancel }: ReceiverFormProps) {
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<string>('webhook')
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [events, setEvents] = useState<Outcome[]>(all)
  const [sites, setSites] = useState<string[]>([])
  const [labels, setLabels] = useState('')
  const isMail = kind === 'email'
  const make = useMutation({
    mutationFn: async () => {
      const url = isMail ? `mailto:${address.trim()}` : address.trim()
      const body = { name: name.trim(), url, events, site_ids: sites, labels: labelsIn(labels) }
      return (await call('createReceiver', { body })).data
    },
    onSuccess: async (receiver) => {
      onMade(receiver)
      await queryClient.invalidateQueries({ queryKey: ['receivers'] })
    },
  })
  const addressIs = {
    label: isMail ? __('Mailbox', 'galley') : __('Address that is sent a POST', 'galley'),
    placeholder: isMail ? 'ann@example.com' : 'https://example.com/hook',
  }

  function choose(next: string) {
    setKind(next)
    // A mail for every post would be too many: whoever wants them says so.
    setEvents(next === 'email' ? all.filter((event) => event !== 'delivery.delivered') : all)
  }

  return (
    <Form
      submit={__('Add', 'galley')}
      failure={make.error}
      pending={make.isPending}
      incomplete={name.trim() === '' || address.trim() === '' || events.length === 0}
      onSubmit={() => make.mutate()}
      onCancel={onCancel}
    >
      <Select
        label={__('How to notify', 'galley')}
        value={kind}
        onChange={choose}
        options={{ webhook: __('By POST', 'galley'), email: __('By mail', 'galley') }}
      />
      <Field
        label={__('Who is notified', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        failure={make.error}
        path="body.name"
      />
      <Field
        {...addressIs}
        value={address}
        onChange={setAddress}
        inputMode={isMail ? 'email' : 'url'}
        autoComplete="off"
        dir="ltr"
        failure={make.error}
        path="body.url"
      />
      <Choice legend={__('Of what', 'galley')}>
        {all.map((event) => (
          <Tick
            key={event}
            label={outcomes[event]()}
            checked={events.includes(event)}
            onChange={(checked) =>
              setEvents(all.filter((one) => (one === event ? checked : events.includes(one))))
            }
          />
        ))}
      </Choice>
      <SiteChoice
        legend={__('Only of these sites (none chosen: of all)', 'galley')}
        chosen={sites}
        onChange={setSites}
      />
      <Field
        label={__('And of sites with one of these labels', 'galley')}
        help={__('Separated by commas.', 'galley')}
        value={labels}
        onChange={setLabels}
        failure={make.error}
        path="body.labels"
      />
    </Form>
  )
}
