import type { Pool } from 'pg'
import { type KeyringSettings, loadKeyring } from '../../secrets/index.ts'
import { keyNeeds } from './needs.ts'

/** A key, as a person sees it. */
export interface ListedKey {
  id: string
  /** Whether new secrets are encrypted with it. */
  newest: boolean
  /** Whether it is among the keys of this Galley. */
  here: boolean
  /** Secrets that name it. */
  secrets: number
}

/** The keys of this Galley, the newest first, and those that it lacks. */
export async function listKeys(pool: Pool, settings: KeyringSettings): Promise<ListedKey[]> {
  const keyring = await loadKeyring(settings)
  const needs = new Map((await keyNeeds(pool, keyring)).map((need) => [need.id, need]))
  const here = keyring.ids()
  return [...new Set([...here, ...needs.keys()])].map((id) => ({
    id,
    newest: id === keyring.newestId,
    here: here.includes(id),
    secrets: (needs.get(id)?.secrets ?? 0) + (needs.get(id)?.unreadable ?? 0),
  }))
}
