import { __ } from '@wordpress/i18n'
import { call, type Delivery } from '../../../api/client.ts'
import { useNotice } from '../../../app/notices.tsx'
import { useChange } from '../../../app/use-change.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { Line } from './decide.tsx'

type Target = NonNullable<Delivery['withdraw_to']>

/** What may become of an edited post that is to be withdrawn: it stays, or leaves the site after a second question. */
export function DecideWithdrawal({ delivery: { id, withdraw_to } }: { delivery: Delivery }) {
  const notice = useNotice()
  const path = { path: { uuid: id } }
  const decide = useChange({
    changes: ['deliveries'],
    mutationFn: async ({ to, force }: { to: Target | null; force: boolean }) => {
      if (to) await call('withdrawDelivery', { ...path, body: { to, force } })
      else await call('cancelDelivery', path)
    },
    onSuccess: (_, { to }) => {
      if (to === null)
        notice({
          text: __('The post stays on the site, as it was edited.', 'galley'),
          action: {
            label: __('Undo', 'galley'),
            run: () => decide.mutate({ to: withdraw_to, force: false }),
          },
        })
    },
  })
  const button = (to: Target, label: string) => (
    <ConfirmButton
      label={label}
      of={__('the post', 'galley')}
      question={__(
        'Somebody changed this post. Withdraw it anyway? Their change stays in it, and readers no longer see it.',
        'galley',
      )}
      disabled={decide.isPending}
      onConfirm={() => decide.mutate({ to, force: true })}
    />
  )
  return (
    <ul className="g-decisions" aria-label={__('What becomes of it', 'galley')}>
      <Line
        name={__('Keep it', 'galley')}
        does={__('The post stays on the site as it was edited, and is not withdrawn.', 'galley')}
      >
        <Button disabled={decide.isPending} onClick={() => decide.mutate({ to: null, force: false })}>
          {__('Keep the post', 'galley')}
        </Button>
      </Line>
      <Line
        name={__('Withdraw anyway', 'galley')}
        does={__('Readers no longer see the post. What was edited stays in it, in WordPress.', 'galley')}
      >
        <span className="g-actions">
          {button('draft', __('Back to draft anyway', 'galley'))}
          {button('trash', __('Move to the trash anyway', 'galley'))}
        </span>
      </Line>
    </ul>
  )
}
