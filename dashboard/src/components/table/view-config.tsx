import { VIEW_LAYOUTS } from '@wordpress/dataviews'
import DataViewsContext from '@wordpress/dataviews/context'
import { DataviewsViewConfigDropdown, ViewTypeMenu } from '@wordpress/dataviews/view-config'
import { __, _x } from '@wordpress/i18n'
import { cog, Icon } from '@wordpress/icons'
import { type ComponentProps, type ComponentType, memo, useContext } from 'react'
import { useLateMenu } from './late-menu.ts'

// DataViews offers these by themselves too.
export { DataviewsViewConfigDropdown, ViewTypeMenu }

/**
 * What a table looks like, in place of DataViews' own: two buttons that become a menu and a panel when they are pressed. Every list
 * was drawn with both.
 */
function ViewConfig() {
  const { view } = useContext(DataViewsContext)
  const layout = VIEW_LAYOUTS.find(({ type }) => type === view.type)
  return (
    <>
      <Late label={__('Layout', 'galley')} icon={layout?.icon} isMenu whole={ViewTypeMenu} />
      <Late
        label={_x('View options', 'View is used as a noun', 'galley')}
        icon={cog}
        whole={DataviewsViewConfigDropdown}
      />
    </>
  )
}

interface LateProps {
  label: string
  icon: ComponentProps<typeof Icon>['icon'] | undefined
  isMenu?: boolean
  whole: ComponentType
}

function Late({ label, icon, isMenu = false, whole: Whole }: LateProps) {
  const { made, place, button } = useLateMenu({ isMenu })
  return (
    <div ref={place} className="g-late-menu">
      {made ? (
        <Whole />
      ) : (
        <button
          {...button}
          className="components-button is-compact has-icon"
          aria-label={label}
          title={label}
        >
          {icon && <Icon icon={icon} />}
        </button>
      )}
    </div>
  )
}

export default memo(ViewConfig)
