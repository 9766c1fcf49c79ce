import { useCanGoBack } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { Button } from '../button.tsx'

interface PagerProps {
  cursor: string | undefined
  next: string | null
  onPage(cursor: string | undefined): void
  /** The total, in words. */
  total?: string | undefined
  /** Where all that match can be downloaded. */
  exportAddress?: string
}

/** The pages of a list with cursors: first, back and next. */
export function Pager({ cursor, next, onPage, total, exportAddress }: PagerProps) {
  const canGoBack = useCanGoBack()
  const one = cursor === undefined && next === null
  if (one && total === undefined) return null
  const count = total !== undefined && (
    <p className="g-weak">
      <span>{total}</span>
      {exportAddress && (
        <>
          {' · '}
          <a href={exportAddress}>{__('Download as CSV', 'galley')}</a>
        </>
      )}
    </p>
  )
  if (one) return <div className="g-pager">{count}</div>
  return (
    <nav className="g-pager" aria-label={__('Pages', 'galley')}>
      {count}
      <Button disabled={cursor === undefined} onClick={() => onPage(undefined)}>
        {__('First page', 'galley')}
      </Button>
      <Button
        // A page that was opened by its address has none before it.
        disabled={cursor === undefined || !canGoBack}
        onClick={() => history.back()}
      >
        {__('Back', 'galley')}
      </Button>
      <Button disabled={next === null} onClick={() => next !== null && onPage(next)}>
        {__('Next page', 'galley')}
      </Button>
    </nav>
  )
}
