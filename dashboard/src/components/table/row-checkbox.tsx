import { __ } from '@wordpress/i18n'
import { check, Icon } from '@wordpress/icons'

/** By it DataViews knows a click on one of these. */
export const SELECTION_CHECKBOX_CLASS = 'dataviews-selection-checkbox'

interface RowCheckboxProps<Item> {
  item: Item
  selection: string[]
  onChangeSelection(ids: string[]): void
  getItemId(item: Item): string
  titleField?: { getValue?(of: { item: Item }): unknown }
  disabled?: boolean
}

/**
 * The box by which a row is chosen, in place of DataViews' own: the same to see and to hear, of elements. Its components were nine of
 * the 38 of a row, most of which make their style anew each time.
 */
export default function RowCheckbox<Item>(props: RowCheckboxProps<Item>) {
  const { item, selection, onChangeSelection, getItemId, titleField, disabled = false } = props
  const id = getItemId(item)
  const chosen = selection.includes(id)
  const checked = chosen && !disabled
  const change = () => {
    if (!disabled) onChangeSelection(chosen ? selection.filter((one) => one !== id) : [...selection, id])
  }
  return (
    <div className={`components-base-control components-checkbox-control ${SELECTION_CHECKBOX_CLASS}`}>
      <span className="components-checkbox-control__input-container">
        <input
          type="checkbox"
          className="components-checkbox-control__input"
          aria-label={String(titleField?.getValue?.({ item }) || __('(no title)', 'galley'))}
          aria-disabled={disabled}
          checked={checked}
          onChange={change}
          // Safari does not focus what is clicked.
          onClick={({ currentTarget }) => currentTarget.focus()}
        />
        {checked && (
          <Icon
            icon={check}
            className="components-checkbox-control__checked"
            role="presentation"
            size={16}
            viewBox="4 4 16 16"
          />
        )}
      </span>
    </div>
  )
}
