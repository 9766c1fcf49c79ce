export const LAYOUTS = ['table', 'list'] as const
export const DENSITIES = ['comfortable', 'balanced', 'compact'] as const
export const PAGE_SIZES = [10, 25, 50, 100] as const

/** The look of a table, which this browser remembers. What it shows is in the address. */
export interface Preferences {
  layout: (typeof LAYOUTS)[number]
  density: (typeof DENSITIES)[number]
  /** Rows per page. */
  perPage: number
  /** Ids of the columns beside the title, in their order; undefined until somebody chooses them. */
  columns?: string[] | undefined
}

export const defaultPreferences: Preferences = { layout: 'table', density: 'balanced', perPage: 25 }

const storageKey = (name: string) => `galley.table.${name}`

/** @returns the stored preferences of a table; the default for each that is missing or not valid */
export function readPreferences(name: string): Preferences {
  const stored = parsed(localStorage.getItem(storageKey(name)))
  const { layout, density, perPage, columns } = (stored ?? {}) as Partial<Preferences>
  return {
    layout: LAYOUTS.find((one) => one === layout) ?? defaultPreferences.layout,
    density: DENSITIES.find((one) => one === density) ?? defaultPreferences.density,
    perPage: PAGE_SIZES.find((one) => one === perPage) ?? defaultPreferences.perPage,
    columns: Array.isArray(columns) ? columns : undefined,
  }
}

export const writePreferences = (name: string, preferences: Preferences): void =>
  localStorage.setItem(storageKey(name), JSON.stringify(preferences))

export const forgetPreferences = (name: string): void => localStorage.removeItem(storageKey(name))

/**
 * Forgets the preferences of every table.
 *
 * @returns a function that restores them
 */
export function forgetAllPreferences(): () => void {
  const stored = Object.entries(localStorage).filter(([key]) => key.startsWith(storageKey('')))
  for (const [key] of stored) localStorage.removeItem(key)
  return () => {
    for (const [key, value] of stored) localStorage.setItem(key, value)
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
