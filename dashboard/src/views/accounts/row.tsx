import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __, _n, _x, sprintf } from '@wordpress/i18n'
import { call, type ManagedAccount } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useSession } from '../../app/session-context.ts'
import { inWords } from '../../components/number.ts'
import { Row } from '../../components/rows.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { Badge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import type { Open } from './list.tsx'

interface AccountRowProps {
  account: ManagedAccount
  onOpen(open: Open): void
}

/** An account, which is refused at once where it is disabled. */
export function AccountRow({ account, onOpen }: AccountRowProps) {
  const { id, name, credits, unlimited, created_at, disabled_at } = account
  const own = useSession().account.id === id
  return (
    <Row
      title={name}
      state={
        disabled_at ? (
          <Badge tone="bad">{__('Disabled', 'galley')}</Badge>
        ) : (
          own && <Badge tone="info">{_x('Yours', 'account', 'galley')}</Badge>
        )
      }
      actions={<Actions account={account} own={own} onOpen={onOpen} />}
    >
      <p>
        {unlimited
          ? __('Without limit', 'galley')
          : sprintf(
              // translators: %s: a number
              _n('%s credit', '%s credits', credits, 'galley'),
              inWords(credits),
            )}
      </p>
      <p className="g-weak">
        {__('Created', 'galley')} <Time at={created_at} />
        {disabled_at && (
          <>
            {' · '}
            {__('Disabled', 'galley')} <Time at={disabled_at} />
          </>
        )}
      </p>
    </Row>
  )
}

function Actions({ account, own, onOpen }: AccountRowProps & { own: boolean }) {
  const { id, name, disabled_at } = account
  const queryClient = useQueryClient()
  const notice = useNotice()
  const change = useMutation({
    mutationFn: async (disabled: boolean) => {
      await call('changeAccount', { path: { uuid: id }, body: { disabled } })
      return disabled
    },
    onSuccess: (disabled) => {
      if (disabled)
        notice({
          text: sprintf(
            // translators: %s: the name of an account
            __('%s is disabled: its keys and webhooks are refused, its deliveries wait.', 'galley'),
            name,
          ),
          action: { label: __('Undo', 'galley'), run: () => change.mutate(false) },
        })
    },
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['accounts'] }),
  })
  const button = (label: string, act: () => void) => (
    <button
      type="button"
      className="g-button"
      aria-label={`${label}: ${name}`}
      disabled={change.isPending}
      onClick={act}
    >
      {label}
    </button>
  )
  return (
    <>
      {button(__('Change', 'galley'), () => onOpen({ is: 'changing', account }))}
      {button(__('Give credits', 'galley'), () => onOpen({ is: 'granting', account }))}
      {/* Galley disables nobody's own. */}
      {!own &&
        (disabled_at === null
          ? button(__('Disable', 'galley'), () => change.mutate(true))
          : button(__('Enable', 'galley'), () => change.mutate(false)))}
    </>
  )
}
