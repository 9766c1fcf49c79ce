import type { StoredSecret } from './check-keys.ts'
import type { Keyring } from './keyring.ts'

/** What a sealed column is read with: its row, by the names that the columns have in the database. */
export type SealedRow = Readonly<Record<string, string | null>>

/** A column in which encrypted secrets lie, and how one of them is read and encrypted anew. */
export interface SealedColumn {
  table: string
  column: string
  /** Columns of the primary key, all UUIDs. */
  key: readonly [string, ...string[]]
  /** Other columns that a secret is bound to. */
  beside?: readonly string[]
  /** SQL of the rows whose secret still counts; all of them unless given. */
  live?: string
  of: StoredSecret['of']
  /** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
  read(keyring: Keyring, row: SealedRow, sealed: string): string
  seal(keyring: Keyring, row: SealedRow, secret: string): string
}
