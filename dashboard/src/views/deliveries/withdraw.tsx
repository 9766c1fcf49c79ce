import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { call, type DetailedDelivery } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { describeError } from '../../components/states.tsx'
import { sendAgain } from './trouble.tsx'

type Target = NonNullable<DetailedDelivery['withdraw_to']>

/** A withdrawal in words. */
export const withdrawals = {
  draft: () => __('Withdrawal to a draft', 'galley'),
  trash: () => __('Withdrawal to the trash', 'galley'),
} satisfies Record<Target, () => string>

/** Buttons that take the post of a delivery off its site. */
export function Withdraw({ delivery: { id, status, post } }: { delivery: DetailedDelivery }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const act = useMutation({
    mutationFn: async (to: Target | null) => {
      const path = { uuid: id }
      if (to === null) await call('retryDelivery', { path, body: {} })
      else await call('withdrawDelivery', { path, body: { to } })
      return to
    },
    onSuccess: (to) => {
      if (to !== null)
        notice({
          text: __('The post is being withdrawn.', 'galley'),
          action: { label: sendAgain(), run: () => act.mutate(null) },
        })
    },
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  const mayAct = useMay('deliveries.act')
  if (!mayAct || post === null || post.status === 'deleted' || status === 'delivering') return null
  const stands = status === 'withdrawn' ? post.status : null
  const button = (to: Target, label: string) => (
    <button type="button" className="g-button" disabled={act.isPending} onClick={() => act.mutate(to)}>
      {label}
    </button>
  )
  return (
    <section className="g-card g-section">
      <h2>{__('Withdraw the post', 'galley')}</h2>
      <p>
        {__(
          'Readers no longer see it. Its text and pictures stay in WordPress, and you can send it again to the same post. WordPress deletes what has been in its trash for 30 days.',
          'galley',
        )}
      </p>
      <div className="g-actions">
        {stands !== 'draft' && button('draft', __('Back to draft', 'galley'))}
        {stands !== 'trash' && button('trash', __('Move to the trash', 'galley'))}
      </div>
    </section>
  )
}
