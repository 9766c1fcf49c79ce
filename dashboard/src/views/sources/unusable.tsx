import { __, _n, sprintf } from '@wordpress/i18n'
import { call, type Source } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { useChange } from '../../app/use-change.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { clock } from '../../components/time.tsx'

type Reason = Source['unusable'][number]['reason']

/** Why webhooks were not used, and what to do. */
const reasons = {
  signature_missing: () =>
    __('They have no signature. Have the sender sign them with the secret of this source.', 'galley'),
  signature_invalid: () =>
    __(
      'Their signature does not fit the secret of this source. Give the sender the current secret, or create another.',
      'galley',
    ),
  signature_expired: () =>
    __(
      'The sender’s clock and Galley’s differ by more than five minutes. Set the one that is wrong.',
      'galley',
    ),
  body_too_large: () =>
    __('They are larger than Galley accepts. Have the sender send less at once.', 'galley'),
  not_json: () => __('They are not JSON. Correct the sender.', 'galley'),
  event_unknown: () =>
    __(
      'Their kind of event is not known. Have the sender announce finished documents as document.completed.',
      'galley',
    ),
  body_invalid: () => __('Something in them is missing or wrong. Correct the sender.', 'galley'),
  document_empty: () =>
    __('Their documents are empty. Have the sender send them again with their text.', 'galley'),
  document_too_large: () =>
    __('Their documents exceed a limit. Shorten or divide them, and send them again.', 'galley'),
  site_not_allowed: () =>
    __(
      'They are for sites to which this source may not send. Add these sites to the source, and send the documents again.',
      'galley',
    ),
} satisfies Record<Reason, () => string>

/** What a source sent that could not be used. */
export function UnusableCard({ source: { id, name, unusable } }: { source: Source }) {
  const count = unusable.reduce((sum, one) => sum + one.count, 0)
  return (
    <li className="g-card g-cause">
      <div>
        <h3>
          {sprintf(
            // translators: 1: a number, 2: the name of a source
            _n(
              '%1$s webhook of %2$s could not be used',
              '%1$s webhooks of %2$s could not be used',
              count,
              'galley',
            ),
            formatNumber(count),
            name,
          )}
        </h3>
        <UnusableReasons unusable={unusable} />
      </div>
      <div className="g-actions">
        {useMay('sources.change') && <Dismiss id={id} />}
        <LinkButton to="/sources" search={{ search: id }}>
          {__('Show the source', 'galley')}
        </LinkButton>
      </div>
    </li>
  )
}

/** Each reason, what to do about it, and what was wrong with the last webhook of it. */
export const UnusableReasons = ({ unusable }: Pick<Source, 'unusable'>) =>
  unusable.map(({ reason, count, message, since }) => (
    <div key={reason}>
      <p>
        {unusable.length > 1 && `${formatNumber(count)} × `}
        {reasons[reason]()}
      </p>
      <p className="g-weak">
        {/* translators: %s: a time of day, or a date with it */}
        {sprintf(__('Since %s', 'galley'), clock(since))}
        {' · '}
        <span lang="en">{message}</span>
      </p>
    </div>
  ))

function Dismiss({ id }: { id: string }) {
  const dismiss = useChange({
    changes: ['sources'],
    mutationFn: () => call('updateSource', { path: { uuid: id }, body: { unusable: null } }),
  })
  return (
    <Button disabled={dismiss.isPending} onClick={() => dismiss.mutate()}>
      {__('Dismiss', 'galley')}
    </Button>
  )
}
