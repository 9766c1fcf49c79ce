import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { BulkAction } from '../../data/bulk.ts'
import { Loading } from '../loading.tsx'
import type { Item, TableAction } from '../table/columns.ts'
import { actionsOn, bulkActions, type Kind } from './words.ts'

/** Loaded on demand: most people only look at the list. */
const BulkPanel = lazy(async () => ({ default: (await import('./panel.tsx')).BulkPanel }))

interface Bulk<Row extends Item> {
  /** The actions for selected rows. */
  actions: TableAction<Row>[]
  /** Opens the panel for these rows, or for all that match where there are none; undefined without the right. */
  onBulk: ((ids: string[]) => void) | undefined
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
  if (!may) return { actions: [], onBulk: undefined, panel: null }
  const actions = actionsOn(kind).map((action) => ({
    id: action,
    label: bulkActions[action].label(),
    run: (rows: Row[]) => setOpen({ action, chosen: rows.map(({ id }) => id) }),
  }))
  return {
    actions,
    onBulk: (chosen) => setOpen({ chosen }),
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
