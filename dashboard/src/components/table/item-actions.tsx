import WholeItemActions, { type ItemActionsProps } from '@wordpress/dataviews/item-actions'
import { __ } from '@wordpress/i18n'
import { Icon, moreVertical } from '@wordpress/icons'
import { memo, useLayoutEffect, useRef, useState } from 'react'

// The other layouts of DataViews take these from here too.
export { ActionModal, ActionsMenuGroup, PrimaryActions } from '@wordpress/dataviews/item-actions'

/**
 * What can be done with a row, in place of DataViews' own: a button that becomes its menu when it is pressed. A menu with its
 * tooltip was a third of what a row took to draw, in each of its rows, and hardly one of them is ever opened.
 */
function ItemActions(props: ItemActionsProps) {
  const [pressed, setPressed] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!pressed) return
    const button = place.current?.querySelector('button')
    button?.focus()
    button?.click()
  }, [pressed])
  if (pressed)
    return (
      <div ref={place}>
        <WholeItemActions {...props} />
      </div>
    )
  return (
    <div className="dataviews-item-actions">
      <button
        type="button"
        className="components-button dataviews-all-actions-button is-compact has-icon"
        aria-haspopup="menu"
        aria-expanded={false}
        aria-label={__('Actions', 'galley')}
        title={__('Actions', 'galley')}
        onClick={() => setPressed(true)}
      >
        <Icon icon={moreVertical} />
      </button>
    </div>
  )
}

// Every change of the view draws all rows anew; what can be done with one is the same.
export default memo(ItemActions)
