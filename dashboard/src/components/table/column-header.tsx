import ColumnHeaderMenu, { type ColumnHeaderProps } from '@wordpress/dataviews/column-header-menu'
import { forwardRef } from 'react'
import { useLateMenu } from './late-menu.ts'

/**
 * The header of a column, in place of DataViews' own: a button that becomes its menu when it is pressed. Those of five headers
 * were drawn with every change of the rows, with a tooltip each.
 */
export default forwardRef<HTMLButtonElement, ColumnHeaderProps>(function ColumnHeader(props, ref) {
  const { made, place, button } = useLateMenu()
  const { view, fieldId, fields } = props
  const field = fields.find(({ id }) => id === fieldId)
  if (field === undefined) return null
  if (made)
    return (
      <div ref={place} className="g-late-menu">
        <ColumnHeaderMenu {...props} ref={ref} />
      </div>
    )
  if (!hasMenu(props, field)) return <>{field.header}</>
  return (
    <button
      {...button}
      ref={ref}
      className="components-button dataviews-view-table-header-button is-compact is-tertiary"
    >
      {field.header}
      {view.sort?.field === fieldId && (
        <span aria-hidden="true">{view.sort.direction === 'asc' ? '↑' : '↓'}</span>
      )}
    </button>
  )
})

/** Whether there is anything in the menu, by the same rule as DataViews has: a filter of ours is above the table, and not in it. */
const hasMenu = ({ canMove = true }: ColumnHeaderProps, { enableSorting, enableHiding }: Header): boolean =>
  canMove || enableSorting !== false || enableHiding !== false

type Header = ColumnHeaderProps['fields'][number]
