import { __ } from '@wordpress/i18n'
import { ApiFailure, Unreachable } from '../../api/failure.ts'
import { Message } from './message.tsx'
import { NoRight } from './no-right.tsx'
import { NotFound } from './not-found.tsx'

interface FailureProps {
  error: unknown
  onAgain?: (() => void) | undefined
}

/** Why a view cannot be shown, by what has failed: nobody answers, no right, not there, or Galley's own words. */
export function Failure({ error, onAgain }: FailureProps) {
  if (error instanceof ApiFailure && error.code === 'FORBIDDEN') return <NoRight />
  if (error instanceof ApiFailure && error.status === 404) return <NotFound />
  const { title, text, code } = wordsFor(error)
  return (
    <Message
      alert
      title={title}
      actions={
        <button type="button" className="g-button" onClick={onAgain ?? (() => location.reload())}>
          {__('Try again', 'galley')}
        </button>
      }
    >
      <p>{text}</p>
      {code && <p className="g-weak">{code}</p>}
    </Message>
  )
}

/** A failure in words. */
export function wordsFor(error: unknown): { title: string; text: string; code?: string } {
  if (error instanceof ApiFailure)
    return { title: __('That did not work', 'galley'), text: error.message, code: error.code }
  if (error instanceof Unreachable)
    return {
      title: __('Galley does not answer', 'galley'),
      text: __('Check whether it is running and whether you are online, and try again.', 'galley'),
    }
  // A chunk of an older build that is not there any more.
  if (error instanceof TypeError && /import/.test(error.message))
    return {
      title: __('There is a newer version of this page', 'galley'),
      text: __('Load it again to go on.', 'galley'),
    }
  return {
    title: __('Something went wrong in this page', 'galley'),
    text: error instanceof Error ? error.message : String(error),
  }
}
