import { __ } from '@wordpress/i18n'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { BulkAction } from '../../data/bulk.ts'
import { Loading } from '../states/loading.tsx'
import type { Item, TableAction } from '../table/columns.ts'
import { actionsOn, bulkActions, type Kind } from './words.ts'

/** With its forms, which nobody needs who only looks at the list. */
const BulkPanel = lazy(async () => ({ default: (await import('./panel.tsx')).BulkPanel }))

interface Bulk<Row extends Item> {
  /** The actions of the table's rows. */
  actions: TableAction<Row>[]
  /** Asks what to do with these; undefined where the role may do nothing. */
  onBulk: ((ids: string[]) => void) | undefined
  /** The button that begins with all that match. */
  button: ReactNode
  /** Where it is said what is done with which; null while nobody asked. */
  panel: ReactNode
}

/** What a list needs so that something can be done with many of its rows; nothing of it where one may not. */
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
          // Another choice begins anew.
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
