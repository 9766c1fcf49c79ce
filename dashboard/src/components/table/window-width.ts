import { useSyncExternalStore } from 'react'

/** @returns a hook that says whether the window is at most so many pixels wide */
function atMost(pixels: number): () => boolean {
  const query = matchMedia(`(max-width: ${pixels}px)`)
  const listen = (changed: () => void) => {
    query.addEventListener('change', changed)
    return () => query.removeEventListener('change', changed)
  }
  return () => useSyncExternalStore(listen, () => query.matches)
}

/** Whether the window is too narrow for columns. */
export const useNarrow = atMost(719)

/** Whether there are columns, and not room for all of them. */
export const useColumnsHidden = atMost(1379)

/** Whether DataViews has no room for the names of actions below a table, and shows none without an icon. */
export const useActionsHidden = atMost(781)
