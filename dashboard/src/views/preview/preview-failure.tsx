import { __, _n } from '@wordpress/i18n'
import { fieldErrors } from '../../api/failure.ts'
import { Button } from '../../components/button.tsx'
import { withNumber } from '../../components/format.ts'
import { describeError } from '../../components/states.tsx'

/** Errors that are listed. */
const LISTED = 20

interface PreviewFailureProps {
  error: unknown
  onAgain?: () => void
}

/** Why there is no preview: Galley's message, and each error of the document. */
export function PreviewFailure({ error, onAgain }: PreviewFailureProps) {
  const { title, text } = describeError(error)
  const mistakes = fieldErrors(error)
  const more = mistakes.length - LISTED
  return (
    <div className="g-card g-told bad" role="alert">
      <h3>{title}</h3>
      <p>{text}</p>
      {mistakes.length > 0 && (
        <ul className="g-mistakes">
          {mistakes.slice(0, LISTED).map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code dir="ltr">{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && (
        <p className="g-weak">
          {withNumber(
            // translators: %d: how many mistakes beside those that are listed
            _n('and %d more', 'and %d more', more, 'galley'),
            more,
          )}
        </p>
      )}
      {onAgain && (
        <div className="g-actions">
          <Button onClick={onAgain}>{__('Try again', 'galley')}</Button>
        </div>
      )}
    </div>
  )
}
