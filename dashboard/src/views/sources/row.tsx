import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { call, type Source } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Row } from '../../components/rows.tsx'
import { SitesInWords } from '../../components/site-choice.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import type { Shown } from './list.tsx'
import { highestStatuses } from './status.ts'

interface SourceRowProps {
  source: Source
  onChange(): void
  onShow(shown: Shown): void
}

export function SourceRow({ source, onChange, onShow }: SourceRowProps) {
  const { name, limits, upstream_base_url, upstream_trouble, previous_address_until, created_at } = source
  const mayChange = useMay('sources.change')
  return (
    <Row
      title={name}
      state={<State source={source} />}
      actions={mayChange && <Actions source={source} onChange={onChange} onShow={onShow} />}
    >
      <p>
        <SitesInWords {...limits} />
        {limits.highest_status && ` · ${highestStatuses()[limits.highest_status] ?? ''}`}
      </p>
      {upstream_base_url && (
        <p className="g-weak">
          {source.confirm && `${__('Each document is confirmed', 'galley')} · `}
          {source.backfill && `${__('Documents that were never announced are fetched', 'galley')} · `}
          <span dir="ltr">{upstream_base_url}</span>
        </p>
      )}
      {upstream_trouble && <p className="g-field-mistake">{upstream_trouble.message}</p>}
      {previous_address_until && (
        <p className="g-weak">
          {__('The previous address works until', 'galley')} <Time at={previous_address_until} exact />
        </p>
      )}
      <p className="g-weak">
        {__('Created', 'galley')} <Time at={created_at} />
      </p>
    </Row>
  )
}

function State({ source: { disabled, upstream_trouble, signed } }: { source: Source }) {
  return (
    <>
      {disabled ? (
        <Badge tone="neutral">{__('Paused by you', 'galley')}</Badge>
      ) : upstream_trouble ? (
        <Badge tone="warning">{__('Has a problem', 'galley')}</Badge>
      ) : (
        <Badge tone="good">{__('Receives', 'galley')}</Badge>
      )}{' '}
      {signed && <Badge tone="neutral">{__('Signed', 'galley')}</Badge>}
    </>
  )
}

function Actions({ source: { id, name, disabled }, onChange, onShow }: SourceRowProps) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const at = { path: { uuid: id } }
  const act = useMutation({
    mutationFn: async (action: 'pause' | 'resume' | 'rotate' | 'remove') => {
      if (action === 'rotate') onShow((await call('rotateSource', { ...at, body: {} })).data)
      else if (action === 'remove') await call('removeSource', at)
      else await call('updateSource', { ...at, body: { disabled: action === 'pause' } })
      return action
    },
    onSuccess: (action) => {
      if (action === 'pause')
        notice({
          text: sprintf(
            // translators: %s: the name of a source
            __('%s is paused: what it sends is refused.', 'galley'),
            name,
          ),
          action: { label: __('Undo', 'galley'), run: () => act.mutate('resume') },
        })
      if (action === 'remove') notice({ text: sprintf(__('%s is removed.', 'galley'), name) })
    },
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sources'] }),
  })
  const of = (label: string) => `${label}: ${name}`
  const [change, pause, resume] = [__('Change', 'galley'), __('Pause', 'galley'), __('Resume', 'galley')]
  return (
    <>
      <button type="button" className="g-button" aria-label={of(change)} onClick={onChange}>
        {change}
      </button>
      <button
        type="button"
        className="g-button"
        aria-label={of(disabled ? resume : pause)}
        disabled={act.isPending}
        onClick={() => act.mutate(disabled ? 'resume' : 'pause')}
      >
        {disabled ? resume : pause}
      </button>
      <ConfirmButton
        label={__('New address', 'galley')}
        of={name}
        question={__('The current one works for 24 more hours.', 'galley')}
        disabled={act.isPending}
        onConfirm={() => act.mutate('rotate')}
      />
      <ConfirmButton
        label={__('Remove', 'galley')}
        of={name}
        question={__('What it has sent is removed too.', 'galley')}
        disabled={act.isPending}
        onConfirm={() => act.mutate('remove')}
      />
    </>
  )
}
