import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { call } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { describeError } from '../../components/states.tsx'

interface TryAgainProps {
  id: string
  /** What becomes of it where something is missing; as its document, source or site say where left out. */
  onLoss?: 'publish' | 'draft'
  label?: string
}

/** A button that retries a delivery. */
export function TryAgain({ id, onLoss, label = __('Try again', 'galley') }: TryAgainProps) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const retry = useMutation({
    mutationFn: () => call('retryDelivery', { path: { uuid: id }, body: { on_loss: onLoss } }),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  return (
    <button type="button" className="g-button" disabled={retry.isPending} onClick={() => retry.mutate()}>
      {label}
    </button>
  )
}
