import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import { call, type DetailedDelivery } from '../../../api/client.ts'
import { useNotice } from '../../../app/notices.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { describeError } from '../../../components/states.tsx'

type Decision = 'keep' | 'overwrite' | 'status_only' | 'undo'

/** The choices for an edited post: keep it, overwrite it, or set only its status. */
export function Decide({ delivery: { id } }: { delivery: DetailedDelivery }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const decide = useMutation({
    mutationFn: async (decision: Decision) => {
      const at = { path: { uuid: id } }
      if (decision === 'keep') await call('cancelDelivery', at)
      else if (decision === 'undo') await call('retryDelivery', { ...at, body: {} })
      else await call('retryDelivery', { ...at, body: { [decision]: true } })
      return decision
    },
    onSuccess: (decision) => {
      if (decision === 'keep')
        notice({
          text: __('Their text stays. The newer version is not delivered.', 'galley'),
          action: { label: __('Undo', 'galley'), run: () => decide.mutate('undo') },
        })
      if (decision === 'overwrite') notice({ text: __('The document overwrites the change.', 'galley') })
      if (decision === 'status_only') notice({ text: __('The status is set; their text stays.', 'galley') })
    },
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  const button = (decision: Decision, label: string) => (
    <button
      type="button"
      className="g-button"
      disabled={decide.isPending}
      onClick={() => decide.mutate(decision)}
    >
      {label}
    </button>
  )
  return (
    <ul className="g-decisions" aria-label={__('What becomes of it', 'galley')}>
      <Line
        name={__('Keep theirs', 'galley')}
        does={__(
          'The post stays as it is, and this version of the document is not delivered. A newer one asks again.',
          'galley',
        )}
      >
        {button('keep', __('Keep theirs', 'galley'))}
      </Line>
      <Line
        name={__('Overwrite', 'galley')}
        does={__(
          'The document replaces the whole text. WordPress keeps theirs among the revisions, if the site has them.',
          'galley',
        )}
      >
        <ConfirmButton
          label={__('Overwrite', 'galley')}
          of={__('the post', 'galley')}
          question={__('This replaces their text on the site.', 'galley')}
          disabled={decide.isPending}
          onConfirm={() => decide.mutate('overwrite')}
        />
      </Line>
      <Line
        name={__('Status only', 'galley')}
        does={__(
          'Their text stays, and the post gets the status that the document asks for: it is published, say.',
          'galley',
        )}
      >
        {button('status_only', __('Set the status only', 'galley'))}
      </Line>
    </ul>
  )
}

const Line = ({ name, does, children }: { name: string; does: string; children: ReactNode }) => (
  <li>
    <span>
      <strong>{name}</strong>
      <small>{does}</small>
    </span>
    <span>{children}</span>
  </li>
)
