import type { Action } from '@wordpress/dataviews'
import { __ } from '@wordpress/i18n'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { BulkAction } from '../../data/bulk.ts'
import { Loading } from '../states/loading.tsx'
import { actionsOn, bulkActions, type Kind } from './words.ts'

/** With its forms, which nobody needs who only looks at the list. */
const BulkPanel = lazy(async () => ({ default: (await import('./panel.tsx')).BulkPanel }))

interface Bulk<Item> {
  /** For the table: what can be done with the rows that are chosen. */
  actions: Action<Item>[]
  /** Asks what should be done with these; undefined where one may do nothing. */
  onChosen: ((ids: string[]) => void) | undefined
  /** The button that begins with all that match. */
  button: ReactNode
  /** Where it is said what is done with which; null while nobody asked. */
  panel: ReactNode
}

/** What a list needs so that something can be done with many of its rows; nothing of it where one may not. */
export function useBulk<Item extends { id: string }>(
  kind: Kind,
  filter: Record<string, unknown>,
  may: boolean,
): Bulk<Item> {
  const [open, setOpen] = useState<{ action?: BulkAction; chosen: string[] }>()
  const actions = useMemo(
    () =>
      !may
        ? []
        : actionsOn(kind).map((action) => ({
            id: action,
            label: bulkActions[action].label(),
            supportsBulk: true,
            callback: (items: Item[]) => setOpen({ action, chosen: items.map(({ id }) => id) }),
          })),
    [kind, may],
  )
  if (!may) return { actions, onChosen: undefined, button: null, panel: null }
  return {
    actions,
    onChosen: (chosen) => setOpen({ chosen }),
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
