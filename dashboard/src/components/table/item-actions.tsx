import WholeItemActions, { type ItemActionsProps } from '@wordpress/dataviews/item-actions'
import { __ } from '@wordpress/i18n'
import { Icon, moreVertical } from '@wordpress/icons'
import { memo } from 'react'
import { useLateMenu } from './late-menu.ts'

// The other layouts of DataViews take these from here too.
export { ActionModal, ActionsMenuGroup, PrimaryActions } from '@wordpress/dataviews/item-actions'

/**
 * What can be done with a row, in place of DataViews' own: a button that becomes its menu when it is pressed. A menu with its
 * tooltip was a third of what a row took to draw.
 */
function ItemActions(props: ItemActionsProps) {
  const { made, place, button } = useLateMenu()
  if (made)
    return (
      <div ref={place}>
        <WholeItemActions {...props} />
      </div>
    )
  return (
    <div className="dataviews-item-actions">
      <button
        {...button}
        className="components-button dataviews-all-actions-button is-compact has-icon"
        aria-label={__('Actions', 'galley')}
        title={__('Actions', 'galley')}
      >
        <Icon icon={moreVertical} />
      </button>
    </div>
  )
}

// Every change of the view draws all rows anew; what can be done with one is the same.
export default memo(ItemActions)
