import { __ } from '@wordpress/i18n'

interface PagerProps {
  cursor: string | undefined
  next: string | null
  onLook(cursor: string | undefined): void
  /** How many there are on all pages, in words. */
  total?: string | undefined
}

/** From page to page of a list that is read along its order: there is a next one and a first one, and no seventh. */
export function Pager({ cursor, next, onLook, total }: PagerProps) {
  const one = cursor === undefined && next === null
  if (one && total === undefined) return null
  const count = total !== undefined && <p className="g-weak">{total}</p>
  if (one) return <div className="g-pager">{count}</div>
  return (
    <nav className="g-pager" aria-label={__('Pages', 'galley')}>
      {count}
      <button
        type="button"
        className="g-button"
        disabled={cursor === undefined}
        onClick={() => onLook(undefined)}
      >
        {__('First page', 'galley')}
      </button>
      <button
        type="button"
        className="g-button"
        disabled={cursor === undefined}
        onClick={() => history.back()}
      >
        {__('Back', 'galley')}
      </button>
      <button
        type="button"
        className="g-button"
        disabled={next === null}
        onClick={() => next !== null && onLook(next)}
      >
        {__('Next page', 'galley')}
      </button>
    </nav>
  )
}
