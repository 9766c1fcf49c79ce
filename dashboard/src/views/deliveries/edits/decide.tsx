import { __ } from '@wordpress/i18n'
import { type ReactNode, useState } from 'react'
import { call, type DetailedDelivery } from '../../../api/client.ts'
import { useNotice } from '../../../app/notices.tsx'
import { useChange } from '../../../app/use-change.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { ShownPost } from '../../preview/shown-post.tsx'
import { allChoices, type Choices, type Merge, mergedText } from './merge.ts'

type Decision = 'keep' | 'overwrite' | 'status_only' | 'merge' | 'undo'

interface DecideProps {
  delivery: DetailedDelivery
  merge: Merge | null
  choices: Choices
}

/** What may become of an edited post: it stays, is replaced, gets a merge of both, or its status alone. */
export function Decide({ delivery: { id, site_id }, merge, choices }: DecideProps) {
  const [previewing, setPreviewing] = useState(false)
  const chosen = merge && allChoices(merge, choices)
  const notice = useNotice()
  const decide = useChange({
    changes: ['deliveries'],
    mutationFn: async (decision: Decision) => {
      const at = { path: { uuid: id } }
      if (decision === 'keep') await call('cancelDelivery', at)
      else if (decision === 'undo') await call('retryDelivery', { ...at, body: {} })
      else if (decision === 'merge' && merge && chosen)
        await call('retryDelivery', { ...at, body: { merge: { compared: merge.compared, choices: chosen } } })
      else await call('retryDelivery', { ...at, body: { [decision]: true } })
      return decision
    },
    onSuccess: (decision) => {
      if (decision === 'keep')
        notice({
          text: __('Their text stays. The newer version is not delivered.', 'galley'),
          action: { label: __('Undo', 'galley'), run: () => decide.mutate('undo') },
        })
      if (decision === 'overwrite') notice({ text: __('The new version replaces their text.', 'galley') })
      if (decision === 'merge') notice({ text: __('The merge is being written.', 'galley') })
      if (decision === 'status_only') notice({ text: __('The status is set; their text stays.', 'galley') })
    },
  })
  const button = (decision: Decision, label: string) => (
    <Button
      primary={decision === 'merge'}
      disabled={decide.isPending}
      onClick={() => decide.mutate(decision)}
    >
      {label}
    </Button>
  )
  return (
    <>
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
        {merge && (
          <Line
            name={__('Take the merge', 'galley')}
            does={
              chosen
                ? __(
                    'The post gets the changes of both sides. You see the result before it is written.',
                    'galley',
                  )
                : __(
                    'The post gets the changes of both sides. Choose one where both changed the same.',
                    'galley',
                  )
            }
          >
            <Button
              primary={!(chosen && previewing)}
              disabled={!chosen || decide.isPending}
              aria-expanded={previewing}
              onClick={() => setPreviewing(!previewing)}
            >
              {__('Preview the merge', 'galley')}
            </Button>
          </Line>
        )}
        {merge && chosen && previewing && (
          <li className="g-merge-preview">
            <ShownPost preview={previewOf(merge, choices)} siteId={site_id} />
            <p className="g-actions">{button('merge', __('Write the merge', 'galley'))}</p>
          </li>
        )}
        <Line
          name={__('Take ours', 'galley')}
          does={__(
            'The new version replaces the whole text. WordPress keeps theirs among the revisions, if the site has them.',
            'galley',
          )}
        >
          <ConfirmButton
            label={__('Take ours', 'galley')}
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
      <p className="g-weak">
        {__(
          'What you take replaces what is on the site. You can undo it for a day, except for a password that the new version sets.',
          'galley',
        )}
      </p>
    </>
  )
}

const previewOf = (merge: Merge, choices: Choices) => ({
  post: {
    title: mergedText(merge, choices, 'title'),
    content: mergedText(merge, choices, 'content'),
    footnotes: [],
  },
  uploads: [],
})

export const Line = ({ name, does, children }: { name: string; does: string; children: ReactNode }) => (
  <li>
    <span>
      <strong>{name}</strong>
      <small>{does}</small>
    </span>
    <span>{children}</span>
  </li>
)
