import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { call } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { describeError } from '../../components/states.tsx'

/** A button that retries a delivery. */
export function TryAgain({ id }: { id: string }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const retry = useMutation({
    mutationFn: () => call('retryDelivery', { path: { uuid: id }, body: {} }),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  return (
    <button type="button" className="g-button" disabled={retry.isPending} onClick={() => retry.mutate()}>
      {__('Try again', 'galley')}
    </button>
  )
}
