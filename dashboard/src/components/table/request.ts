import { type Filterable, readAddress, type TableAddress } from './address.ts'
import { type Preferences, readPreferences } from './preferences.ts'

/** What a table asks for. */
export interface TableRequest extends TableAddress {
  limit: number
}

/** Rows of a page, where nobody has chosen another number. */
export const PER_PAGE = 25

/**
 * What a table will ask for at an address, for whom it is not there yet.
 *
 * @param name under which its preferences are remembered
 */
export function readRequest(
  name: string,
  search: Record<string, string>,
  filterable: Filterable,
): TableRequest {
  const { perPage } = readPreferences(name, { perPage: PER_PAGE } as Preferences, [])
  return { ...readAddress(search, filterable), limit: perPage ?? PER_PAGE }
}
