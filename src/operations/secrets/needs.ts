import type { Pool } from 'pg'
import { GalleyError } from '../../errors.ts'
import { type Keyring, keyIdOf } from '../../secrets/index.ts'
import { storedSecrets } from './columns.ts'

/** How many secrets a key is needed for. */
export interface KeyNeed {
  id: string
  /** Secrets that it alone reads. */
  secrets: number
  /** Secrets under its name that it does not read: damaged, or another key had that name. */
  unreadable: number
}

/** The keys that secrets name, with how many each is needed for. */
export async function keyNeeds(pool: Pool, keyring: Keyring): Promise<KeyNeed[]> {
  const needs = new Map<string, KeyNeed>()
  for (const { sealed, read } of await storedSecrets(pool, keyring)) {
    const id = keyIdOf(sealed)
    const need = needs.get(id) ?? { id, secrets: 0, unreadable: 0 }
    needs.set(id, need)
    if (isReadable(read)) need.secrets += 1
    else need.unreadable += 1
  }
  return [...needs.values()]
}

/** How many secrets this key alone reads. */
export const needOf = async (pool: Pool, keyring: Keyring, id: string): Promise<number> =>
  (await keyNeeds(pool, keyring)).find((need) => need.id === id)?.secrets ?? 0

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof GalleyError) return false
    throw error
  }
}
