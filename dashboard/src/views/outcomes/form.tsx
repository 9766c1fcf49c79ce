import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { formatLabels, parseLabels } from '../../../../src/lib/label-list.ts'
import { call, type Receiver, type ReceiverWithSecret } from '../../api/client.ts'
import { useSession } from '../../app/session-context.ts'
import { Checkbox, Choice, changed, Field, Form, Select } from '../../components/form.tsx'
import { LimitFields, type SitesAndLabels } from '../../components/site-choice.tsx'
import { currentLanguage, languages } from '../../i18n.ts'
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

type Channel = Receiver['format'] | 'email'

/** How somebody is told. */
export const channels: Record<Channel, { label: () => string; placeholder: string; help?: () => string }> = {
  standard: { label: () => __('Webhook', 'galley'), placeholder: 'https://example.com/hook' },
  slack: {
    label: () => __('Slack', 'galley'),
    placeholder: 'https://hooks.slack.com/services/…',
    help: () => __('Add an incoming webhook to the channel in Slack, and paste its address.', 'galley'),
  },
  teams: {
    label: () => __('Microsoft Teams', 'galley'),
    placeholder: 'https://….logic.azure.com/workflows/…',
    help: () =>
      __(
        'In the Workflows of the channel, choose the template for webhook alerts, and paste its address.',
        'galley',
      ),
  },
  email: { label: () => __('Email', 'galley'), placeholder: 'ann@example.com' },
}

/** A form for a receiver: a webhook or mail address, and its events. */
export function ReceiverForm({ receiver: now, onDone, onCancel }: ReceiverFormProps) {
  const [receiver] = useState(now)
  const queryClient = useQueryClient()
  const [channel, setChannel] = useState<Channel>(
    receiver?.kind === 'email' ? 'email' : (receiver?.format ?? 'standard'),
  )
  const [name, setName] = useState(receiver?.name ?? '')
  const [address, setAddress] = useState(receiver?.url.replace(/^mailto:/, '') ?? '')
  const [events, setEvents] = useState<Outcome[]>(receiver?.events ?? all)
  const [limit, setLimit] = useState<SitesAndLabels>({
    sites: receiver?.site_ids ?? [],
    labels: formatLabels(receiver?.labels ?? []),
  })
  const [minutes, setMinutes] = useState(String(receiver?.digest_minutes ?? USUAL_MINUTES))
  const [language, setLanguage] = useState<string>(receiver?.language ?? currentLanguage())
  const isMail = channel === 'email'
  const { sends_mail: sendsMail, limited } = useSession()
  const save = useMutation({
    mutationFn: async () => {
      const url = isMail ? `mailto:${address.trim()}` : address.trim()
      const limits = { site_ids: limit.sites, labels: parseLabels(limit.labels) }
      const more = isMail
        ? { digest_minutes: Number(minutes), language: language as Receiver['language'] }
        : { format: channel }
      const body = { name: name.trim(), url, events, ...limits, ...more }
      if (!receiver) return (await call('createReceiver', { body })).data
      await call('updateReceiver', { path: { uuid: receiver.id }, body: changed(receiver, body) })
      return undefined
    },
    onSuccess: async (added) => {
      onDone(added)
      await queryClient.invalidateQueries({ queryKey: ['receivers'] })
    },
  })

  function choose(next: string) {
    const isMailNow = next === 'email'
    // A mail for every post would be too many by default.
    if (isMailNow !== isMail)
      setEvents(isMailNow ? all.filter((event) => event !== 'delivery.delivered') : all)
    setChannel(next as Channel)
  }

  return (
    <Form
      submit={receiver ? __('Save', 'galley') : __('Add', 'galley')}
      mutation={save}
      incomplete={
        (isMail && !sendsMail) ||
        [name, address].some((text) => text.trim() === '') ||
        events.length === 0 ||
        (limited && limit.sites.length === 0)
      }
      onCancel={onCancel}
    >
      {!(receiver && isMail) && (
        <Select
          label={__('How to notify', 'galley')}
          help={channels[channel].help?.()}
          guide="api.md#being-told"
          value={channel}
          onChange={choose}
          options={Object.fromEntries(
            Object.entries(channels)
              .filter(([name]) => !(receiver && name === 'email'))
              .map(([name, { label }]) => [name, label()]),
          )}
        />
      )}
      {isMail && !sendsMail && (
        <p className="g-field-error" role="status">
          {__(
            'This Galley sends no mail yet. Whoever runs it sets GALLEY_SMTP_URL and GALLEY_MAIL_FROM. Until then, notify a web address.',
            'galley',
          )}
        </p>
      )}
      <Field
        label={__('Who is notified', 'galley')}
        help={__('A name, to tell several apart.', 'galley')}
        value={name}
        onChange={setName}
        autoComplete="off"
        path="body.name"
      />
      <Field
        label={isMail ? __('E-mail address', 'galley') : __('Webhook address', 'galley')}
        placeholder={channels[channel].placeholder}
        value={address}
        onChange={setAddress}
        inputMode={isMail ? 'email' : 'url'}
        autoComplete="off"
        dir="ltr"
        path="body.url"
      />
      {isMail && (
        <Select
          label={__('Language of the mails', 'galley')}
          value={language}
          onChange={setLanguage}
          options={Object.fromEntries(
            languages.map((code) => [
              code,
              new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code,
            ]),
          )}
        />
      )}
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
      <LimitFields
        labels={__('And of sites with one of these labels', 'galley')}
        value={limit}
        onChange={setLimit}
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
          path="body.digest_minutes"
        />
      )}
    </Form>
  )
}
