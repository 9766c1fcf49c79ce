import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { call, type Delivery } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { describeError } from '../../components/states.tsx'
import { isHeldWithdrawal } from './actions.ts'

type Target = NonNullable<Delivery['withdraw_to']>

/** Buttons that take an edited post off its site after a second question; nothing for other deliveries. */
export function WithdrawAnyway({ delivery }: { delivery: Delivery }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const act = useMutation({
    mutationFn: (to: Target) =>
      call('withdrawDelivery', { path: { uuid: delivery.id }, body: { to, force: true } }),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  const mayAct = useMay('deliveries.act')
  if (!mayAct || !isHeldWithdrawal(delivery)) return null
  const button = (to: Target, label: string) => (
    <ConfirmButton
      label={label}
      of={__('the post', 'galley')}
      question={__(
        'Somebody changed this post. Withdraw it anyway? Their change stays in it, and readers no longer see it.',
        'galley',
      )}
      disabled={act.isPending}
      onConfirm={() => act.mutate(to)}
    />
  )
  return (
    <p className="g-section g-actions">
      {button('draft', __('Back to draft anyway', 'galley'))}
      {button('trash', __('Move to the trash anyway', 'galley'))}
    </p>
  )
}
