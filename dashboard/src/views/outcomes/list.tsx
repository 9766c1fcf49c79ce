import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import { call, type Receiver } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Below } from '../../components/below.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Head } from '../../components/head.tsx'
import { Panel, SecretPanel } from '../../components/panel.tsx'
import { Row, RowList } from '../../components/rows.tsx'
import { Secret, useSecrets } from '../../components/secret.tsx'
import { SitesInWords } from '../../components/site-choice.tsx'
import { Message, QueryResult } from '../../components/states.tsx'
import { Badge } from '../../components/status.tsx'
import { receiversQuery } from '../../data/outcomes.ts'
import { channels, ReceiverForm } from './form.tsx'
import { Notifications } from './notifications.tsx'
import { outcomes } from './words.tsx'

/** With its secret; a mail address has none. */
interface Made {
  name: string
  secret: string | null
}

/** The open form above the list. */
type Open = { receiver?: Receiver } | undefined

/** The receivers: add, change, test, pause, remove; and the latest notifications. */
export default function Outcomes() {
  const query = useQuery(receiversQuery())
  const mayChange = useMay('receivers.change')
  const [open, setOpen] = useState<Open>()
  const { secrets, show, putAway } = useSecrets<Made>()

  const close = () => setOpen(undefined)
  const make = mayChange && (
    <Button primary onClick={() => setOpen({})}>
      {__('Add a recipient', 'galley')}
    </Button>
  )
  return (
    <>
      <Head title={__('Notifications', 'galley')} actions={make}>
        {__('Who is notified of deliveries and sites, and what was sent.', 'galley')}
      </Head>
      {open && (
        <Panel
          key={open.receiver?.id ?? 'new'}
          title={open.receiver ? open.receiver.name : __('Add a recipient', 'galley')}
        >
          <ReceiverForm
            {...open}
            onCancel={close}
            onDone={(added) => {
              close()
              if (added) show(added)
            }}
          />
        </Panel>
      )}
      {secrets.map(
        (made) =>
          made.secret && (
            <SecretPanel key={made.secret} title={made.name} onStored={() => putAway(made)}>
              <Secret value={made.secret} label={__('Signing secret', 'galley')} labelled />
            </SecretPanel>
          ),
      )}
      <section className="g-section">
        <h2>{__('Recipients', 'galley')}</h2>
        <QueryResult query={query}>
          {({ data }) => (
            <Receivers
              receivers={data}
              make={make}
              onShow={show}
              onChange={(receiver) => setOpen({ receiver })}
            />
          )}
        </QueryResult>
      </section>
      <Below queries={[receiversQuery()]}>
        <Notifications receivers={query.data?.data ?? []} />
      </Below>
    </>
  )
}

interface ReceiversProps {
  receivers: Receiver[]
  /** The button that adds one. */
  make: ReactNode
  onChange(receiver: Receiver): void
  onShow(made: Made): void
}

function Receivers({ receivers, make, onChange, onShow }: ReceiversProps) {
  if (receivers.length === 0)
    return (
      <Message title={__('Nobody is notified yet', 'galley')} actions={make}>
        <p>
          {__(
            'A recipient is a webhook URL or an e-mail address that is notified when something happens.',
            'galley',
          )}
        </p>
      </Message>
    )
  return (
    <RowList items={receivers} label={__('Recipients', 'galley')}>
      {(receiver) => <ReceiverRow receiver={receiver} onChange={() => onChange(receiver)} onShow={onShow} />}
    </RowList>
  )
}

interface ReceiverRowProps {
  receiver: Receiver
  onChange(): void
  onShow(shown: { name: string; secret: string | null }): void
}

function ReceiverRow({ receiver, onChange, onShow }: ReceiverRowProps) {
  const { name, url, kind, format, events, site_ids, labels, disabled } = receiver
  const mayChange = useMay('receivers.change')
  const told = Object.keys(outcomes).length
  return (
    <Row
      title={name}
      state={
        disabled ? (
          <Badge tone="neutral">{__('Paused by you', 'galley')}</Badge>
        ) : (
          <Badge tone="good">{channels[kind === 'email' ? 'email' : format].label()}</Badge>
        )
      }
      actions={mayChange && <Actions receiver={receiver} onChange={onChange} onShow={onShow} />}
    >
      <p dir="ltr">{kind === 'email' ? url.replace('mailto:', '') : url}</p>
      <p className="g-weak">
        <SitesInWords sites={site_ids} labels={labels} />
        {' · '}
        {events.length === told
          ? __('Everything', 'galley')
          : events.map((event) => outcomes[event]()).join(', ')}
      </p>
    </Row>
  )
}

type Action = 'test' | 'pause' | 'resume' | 'rotate' | 'remove'

function Actions({ receiver: { id, name, kind, disabled }, onChange, onShow }: ReceiverRowProps) {
  const navigate = useNavigate()
  const notice = useNotice()
  const at = { path: { uuid: id } }
  const act = useChange({
    changes: ['receivers'],
    mutationFn: async (action: Action) => {
      if (action === 'test') {
        const { data } = await call('testReceiver', { ...at, body: {} })
        await navigate({ to: '/outcomes/$id', params: { id: data.id } as never })
      } else if (action === 'rotate') onShow((await call('rotateReceiver', { ...at, body: {} })).data)
      else if (action === 'remove') await call('removeReceiver', at)
      else await call('updateReceiver', { ...at, body: { disabled: action === 'pause' } })
      return action
    },
    onSuccess: (action) => {
      if (action === 'pause')
        notice({
          text: sprintf(
            // translators: %s: the name of a receiver
            __('%s is paused: it is not notified, and does not catch up later.', 'galley'),
            name,
          ),
          action: { label: __('Undo', 'galley'), run: () => act.mutate('resume') },
        })
      if (action === 'remove') notice({ text: sprintf(__('%s is removed.', 'galley'), name) })
    },
  })
  const button = (action: Action, label: string) => (
    <Button aria-label={`${label}: ${name}`} disabled={act.isPending} onClick={() => act.mutate(action)}>
      {label}
    </Button>
  )
  const change = __('Change', 'galley')
  return (
    <>
      <Button aria-label={`${change}: ${name}`} onClick={onChange}>
        {change}
      </Button>
      {button('test', __('Send a sample', 'galley'))}
      {disabled ? button('resume', __('Resume', 'galley')) : button('pause', __('Pause', 'galley'))}
      {kind === 'webhook' && (
        <ConfirmButton
          label={__('New secret', 'galley')}
          of={name}
          question={__('For 24 hours, both sign.', 'galley')}
          disabled={act.isPending}
          onConfirm={() => act.mutate('rotate')}
        />
      )}
      <ConfirmButton
        label={__('Remove', 'galley')}
        of={name}
        question={__('It is not notified any more.', 'galley')}
        disabled={act.isPending}
        onConfirm={() => act.mutate('remove')}
      />
    </>
  )
}
