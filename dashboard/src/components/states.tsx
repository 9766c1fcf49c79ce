import type { UseQueryResult } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import { ApiError, UnreachableError } from '../../../src/client/calls.ts'
import { isGone } from '../api/failure.ts'
import { useSession } from '../app/session-context.ts'
import { Button, LinkButton } from './button.tsx'
import { Loading } from './loading.tsx'
import { roleInWords } from './roles.ts'

interface MessageProps {
  title: string
  /** `h1` when the page has no other title. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
  /** Buttons or links. */
  actions?: ReactNode
  /** Announced by screen readers. */
  alert?: boolean
}

/** A message in place of a view's content: nothing is there yet, nothing matches, or something failed. */
export const Message = ({
  title,
  heading: Heading = 'h2',
  children,
  actions,
  alert = false,
}: MessageProps) => (
  <div className="g-message" role={alert ? 'alert' : undefined}>
    <Heading>{title}</Heading>
    {children && <div className="g-message-text">{children}</div>}
    {actions && <div className="g-actions">{actions}</div>}
  </div>
)

interface FailureProps {
  error: unknown
  onAgain?: (() => void) | undefined
}

/** Why a view cannot be shown: no answer, no right, not found, or Galley's error. */
export function Failure({ error, onAgain }: FailureProps) {
  if (error instanceof ApiError && error.code === 'FORBIDDEN') return <NoRight />
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  const { title, text } = describeError(error)
  return (
    <Message
      alert
      title={title}
      actions={<Button onClick={onAgain ?? (() => location.reload())}>{__('Try again', 'galley')}</Button>}
    >
      <p>{text}</p>
    </Message>
  )
}

/** Title and text for an error. */
export function describeError(error: unknown): { title: string; text: string } {
  if (error instanceof ApiError) return { title: __('That did not work', 'galley'), text: error.message }
  if (error instanceof UnreachableError)
    return {
      title: __('Galley does not answer', 'galley'),
      text: __('Check whether it is running and whether you are online, and try again.', 'galley'),
    }
  // A chunk of an older build.
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

/** The session has no right to see this. */
export function NoRight() {
  const { role, limited } = useSession()
  return (
    <Message title={__('You are not allowed to see this', 'galley')}>
      <p>
        {limited
          ? __('Your API key is limited to some sites, and this is about the whole account.', 'galley')
          : sprintf(
              // translators: %s: a role, such as Editor
              __(
                'Your API key has the role “%s”. Ask whoever gave it to you for one with another role.',
                'galley',
              ),
              roleInWords(role),
            )}
      </p>
    </Message>
  )
}

/** Nothing at this address. */
export const NotFound = () => (
  <Message
    title={__('There is nothing here', 'galley')}
    heading="h1"
    actions={<LinkButton to="/">{__('Go to the start', 'galley')}</LinkButton>}
  >
    <p>{__('The address may be mistyped, or what was here has been removed.', 'galley')}</p>
  </Message>
)

interface QueryResultProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}

/** The error to show in place of data: the query never succeeded, or its object is gone or forbidden now. */
export const failureOf = ({ data, error }: Pick<UseQueryResult, 'data' | 'error'>): Error | null =>
  data === undefined || isGone(error) ? error : null

/** Shows a query's data, its loading or its error. Data stays when a refetch fails; the frame says that Galley does not answer. */
export function QueryResult<Data>({ query, children }: QueryResultProps<Data>) {
  const failure = failureOf(query)
  if (failure) return <Failure error={failure} onAgain={() => void query.refetch()} />
  if (query.data !== undefined) return children(query.data)
  return <Loading />
}

/** A part of a long list has no match, and the rest is being read. */
export const StillSearching = () => (
  <p className="g-weak" role="status">
    {__('Nothing found yet. Looking further…', 'galley')}
  </p>
)
