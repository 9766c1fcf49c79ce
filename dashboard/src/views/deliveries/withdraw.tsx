import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { call, type DetailedDelivery } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { describeError } from '../../components/states.tsx'
import { sendAgain } from './trouble.tsx'

type Target = NonNullable<DetailedDelivery['withdraw_to']>

/** A withdrawal in words. */
export const withdrawals = {
  draft: () => __('Withdrawal to a draft', 'galley'),
  trash: () => __('Withdrawal to the trash', 'galley'),
} satisfies Record<Target, () => string>

/** Whether a withdrawal was held because somebody changed the post. */
const isHeldForEdit = ({ status, withdraw_to, error }: DetailedDelivery): boolean =>
  status === 'held' && withdraw_to !== null && error?.code === 'post_changed'

const draftLabel = (anyway: boolean) =>
  anyway ? __('Back to draft anyway', 'galley') : __('Back to draft', 'galley')

const trashLabel = (anyway: boolean) =>
  anyway ? __('Move to the trash anyway', 'galley') : __('Move to the trash', 'galley')

/** Buttons that take the post of a delivery off its site. */
export function Withdraw({ delivery }: { delivery: DetailedDelivery }) {
  const { id, status, post } = delivery
  const isEdited = isHeldForEdit(delivery)
  const queryClient = useQueryClient()
  const notice = useNotice()
  const act = useMutation({
    mutationFn: async (to: Target | null) => {
      const path = { uuid: id }
      if (to === null) await call('retryDelivery', { path, body: {} })
      else await call('withdrawDelivery', { path, body: { to, force: isEdited } })
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
  const button = (to: Target, label: string) => {
    const [disabled, run] = [act.isPending, () => act.mutate(to)]
    if (isEdited)
      return (
        <ConfirmButton
          label={label}
          of={__('the post', 'galley')}
          question={__(
            'Somebody changed this post. Withdraw it anyway? Their change stays in it, and readers no longer see it.',
            'galley',
          )}
          disabled={disabled}
          onConfirm={run}
        />
      )
    return (
      <button type="button" className="g-button" disabled={disabled} onClick={run}>
        {label}
      </button>
    )
  }
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
        {stands !== 'draft' && button('draft', draftLabel(isEdited))}
        {stands !== 'trash' && button('trash', trashLabel(isEdited))}
      </div>
    </section>
  )
}
