import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { call, type Receiver } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Row } from '../../components/rows.tsx'
import { SitesInWords } from '../../components/site-choice.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { Badge } from '../../components/status.tsx'
import { outcomes } from './words.tsx'

interface ReceiverRowProps {
  receiver: Receiver
  onChange(): void
  onShow(shown: { name: string; secret: string | null }): void
}

export function ReceiverRow({ receiver, onChange, onShow }: ReceiverRowProps) {
  const { name, url, kind, events, site_ids, labels, disabled } = receiver
  const mayChange = useMay('receivers.change')
  const told = Object.keys(outcomes).length
  return (
    <Row
      title={name}
      state={
        disabled ? (
          <Badge tone="neutral">{__('Paused by you', 'galley')}</Badge>
        ) : (
          <Badge tone="good">{kind === 'email' ? __('Email', 'galley') : __('Webhook', 'galley')}</Badge>
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
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const at = { path: { uuid: id } }
  const act = useMutation({
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
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['receivers'] }),
  })
  const button = (action: Action, label: string) => (
    <button
      type="button"
      className="g-button"
      aria-label={`${label}: ${name}`}
      disabled={act.isPending}
      onClick={() => act.mutate(action)}
    >
      {label}
    </button>
  )
  const change = __('Change', 'galley')
  return (
    <>
      <button type="button" className="g-button" aria-label={`${change}: ${name}`} onClick={onChange}>
        {change}
      </button>
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
