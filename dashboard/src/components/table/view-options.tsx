import { __, sprintf } from '@wordpress/i18n'
import { cog, Icon } from '@wordpress/icons'
import { Button } from '../button.tsx'
import { Checkbox, Choice, Select } from '../form.tsx'
import { Popover } from '../popover.tsx'
import { inWords } from '../texts.ts'
import type { Item, TableInstance } from './columns.ts'
import { PAGE_SIZES, type Preferences } from './preferences.ts'

interface ViewOptionsProps<Row extends Item> {
  table: TableInstance<Row>
  preferences: Preferences
  onChange(changes: Partial<Preferences>): void
  /** Back to the defaults. */
  onReset(): void
}

/** The look of a table: layout, density, rows per page, order and columns. */
export function ViewOptions<Row extends Item>(props: ViewOptionsProps<Row>) {
  return (
    <Popover
      className="g-icon-button"
      panelClassName="g-view-options g-form"
      label={__('View options', 'galley')}
      button={<Icon icon={cog} />}
    >
      <Panel {...props} />
    </Popover>
  )
}

const layouts = {
  table: () => __('Table', 'galley'),
  list: () => __('List', 'galley'),
} satisfies Record<Preferences['layout'], () => string>

const densities = {
  comfortable: () => __('Comfortable', 'galley'),
  balanced: () => __('Balanced', 'galley'),
  compact: () => __('Compact', 'galley'),
} satisfies Record<Preferences['density'], () => string>

function Panel<Row extends Item>({ table, preferences, onChange, onReset }: ViewOptionsProps<Row>) {
  const columns = table.getAllLeafColumns()
  const sortable = columns.filter((column) => column.getCanSort())
  const [sorted] = table.state.sorting
  return (
    <>
      <h2>{__('View options', 'galley')}</h2>
      <Select
        label={__('Layout', 'galley')}
        value={preferences.layout}
        onChange={(layout) => onChange({ layout: layout as Preferences['layout'] })}
        options={inWords(layouts)}
      />
      <Select
        label={__('Density', 'galley')}
        value={preferences.density}
        onChange={(density) => onChange({ density: density as Preferences['density'] })}
        options={inWords(densities)}
      />
      <Select
        label={__('Rows per page', 'galley')}
        value={String(preferences.perPage)}
        onChange={(count) => onChange({ perPage: Number(count) })}
        options={Object.fromEntries(PAGE_SIZES.map((size) => [size, String(size)]))}
      />
      <Select
        label={__('Order', 'galley')}
        value={sorted ? `${sorted.desc ? '-' : '+'}${sorted.id}` : ''}
        onChange={(order) =>
          table.setSorting(order === '' ? [] : [{ id: order.slice(1), desc: order.startsWith('-') }])
        }
        options={{
          '': __('Default', 'galley'),
          ...Object.fromEntries(
            sortable.flatMap(({ id, columnDef: { header } }) => [
              // translators: %s: the name of a column
              [`+${id}`, sprintf(__('%s, ascending', 'galley'), header as string)],
              // translators: %s: the name of a column
              [`-${id}`, sprintf(__('%s, descending', 'galley'), header as string)],
            ]),
          ),
        }}
      />
      <Choice legend={__('Columns', 'galley')}>
        {columns
          .filter((column) => column.getCanHide())
          .map((column) => (
            <Checkbox
              key={column.id}
              label={column.columnDef.header as string}
              checked={column.getIsVisible()}
              onChange={() => column.toggleVisibility()}
            />
          ))}
      </Choice>
      <Button onClick={onReset}>{__('Back to the defaults', 'galley')}</Button>
    </>
  )
}
