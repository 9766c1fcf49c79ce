import { __ } from '@wordpress/i18n'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { BulkAction } from '../../data/bulk.ts'
import { Loading } from '../loading.tsx'
import type { Item, TableAction } from '../table/columns.ts'
import { actionsOn, bulkActions, type Kind } from './words.ts'

/** Loaded on demand: most people only look at the list. */
const BulkPanel = lazy(async () => ({ default: (await import('./panel.tsx')).BulkPanel }))

interface Bulk<Row extends Item> {
  /** The actions of a table's rows. */
  actions: TableAction<Row>[]
  /** Opens the panel for these rows; undefined without the right. */
  onBulk: ((ids: string[]) => void) | undefined
  /** A button that opens the panel for all that match. */
  button: ReactNode
  /** The open panel. */
  panel: ReactNode
}

/** The bulk actions of a list; nothing without the right. */
export function useBulk<Row extends Item>(
  kind: Kind,
  filter: Record<string, unknown>,
  may: boolean,
): Bulk<Row> {
  const [open, setOpen] = useState<{ action?: BulkAction; chosen: string[] }>()
  if (!may) return { actions: [], onBulk: undefined, button: null, panel: null }
  const actions = actionsOn(kind).map((action) => ({
    id: action,
    label: bulkActions[action].label(),
    bulk: true,
    run: (rows: Row[]) => setOpen({ action, chosen: rows.map(({ id }) => id) }),
  }))
  return {
    actions,
    onBulk: (chosen) => setOpen({ chosen }),
    button: (
      <button type="button" className="g-button" onClick={() => setOpen({ chosen: [] })}>
        {__('Everything that matches…', 'galley')}
      </button>
    ),
    panel: open && (
      <Suspense fallback={<Loading />}>
        <BulkPanel
          // Another selection starts over.
          key={`${open.action} ${open.chosen.join()}`}
          kind={kind}
          filter={filter}
          chosen={open.chosen}
          action={open.action}
          onClose={() => setOpen(undefined)}
        />
      </Suspense>
    ),
  }
}
