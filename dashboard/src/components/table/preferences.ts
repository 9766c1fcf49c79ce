import type { View } from '@wordpress/dataviews'

/** How somebody likes a table, which this browser remembers; what it shows stands in the address. */
export type Preferences = Pick<View, 'fields' | 'perPage' | 'layout'> & { type: View['type'] }

const keptAs = (name: string) => `galley.table.${name}`

/** What is remembered, as far as it fits to the fields that there are now. */
export function readPreferences(name: string, defaults: Preferences, known: readonly string[]): Preferences {
  const kept = parsed(localStorage.getItem(keptAs(name)))
  if (typeof kept !== 'object' || kept === null) return defaults
  const { type, fields, perPage, layout } = kept as Partial<Record<keyof Preferences, unknown>>
  return {
    ...defaults,
    ...((type === 'table' || type === 'list' || type === 'grid') && { type }),
    ...(Array.isArray(fields) && { fields: fields.filter((field) => known.includes(field)) }),
    ...(typeof perPage === 'number' && perPage >= 1 && perPage <= 100 && { perPage }),
    ...(typeof layout === 'object' && layout !== null && { layout }),
  } as Preferences
}

export const writePreferences = (name: string, preferences: Preferences): void =>
  localStorage.setItem(keptAs(name), JSON.stringify(preferences))

export const forgetPreferences = (name: string): void => localStorage.removeItem(keptAs(name))

/**
 * Forgets how somebody likes every table.
 *
 * @returns what remembers it again
 */
export function forgetAllPreferences(): () => void {
  const kept = Object.keys(localStorage)
    .filter((key) => key.startsWith(keptAs('')))
    .map((key) => [key, localStorage.getItem(key) ?? ''] as const)
  for (const [key] of kept) localStorage.removeItem(key)
  return () => {
    for (const [key, value] of kept) localStorage.setItem(key, value)
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
