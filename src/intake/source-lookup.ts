import type { Pool } from 'pg'
import type { Keyring } from '../secrets/index.ts'
import { hashToken } from '../secrets/index.ts'
import { GIVE_UP_MS } from './store.ts'

/** What intake needs to know of a source. */
export interface KnownSource {
  id: string
  accountId: string
  signingSecret: string | null
}

/** How long a source is remembered, in milliseconds: disabling one or changing its secret takes effect within it. */
const REMEMBERED_MS = 5_000
/** Sources remembered at once; the oldest is forgotten first. */
const REMEMBERED_AT_MOST = 10_000

/** Finds the source of a webhook by the token in its address, remembering it for a few seconds. */
export class SourceLookup {
  readonly #pool: Pool
  readonly #keyring: Keyring
  readonly #known = new Map<string, { source: KnownSource; until: number }>()

  constructor(pool: Pool, keyring: Keyring) {
    this.#pool = pool
    this.#keyring = keyring
  }

  /** Null for a token that no source has, and for a source or account that is disabled. */
  async byToken(token: string): Promise<KnownSource | null> {
    const hash = hashToken(token)
    const known = this.#known.get(hash)
    if (known !== undefined && known.until > Date.now()) return known.source
    this.#known.delete(hash)

    const source = await this.#read(hash)
    if (source === null) return null
    const oldest = this.#known.keys().next()
    if (this.#known.size >= REMEMBERED_AT_MOST && !oldest.done) this.#known.delete(oldest.value)
    this.#known.set(hash, { source, until: Date.now() + REMEMBERED_MS })
    return source
  }

  async #read(hash: string): Promise<KnownSource | null> {
    const { rows } = await this.#pool.query<{
      id: string
      account_id: string
      signing_secret: string | null
    }>({
      text: `SELECT s.id, s.account_id, s.signing_secret FROM source s JOIN account a ON a.id = s.account_id
             WHERE s.token_hash = $1 AND s.disabled_at IS NULL AND a.disabled_at IS NULL`,
      values: [hash],
      query_timeout: GIVE_UP_MS,
    })
    const row = rows[0]
    if (row === undefined) return null
    const signingSecret =
      row.signing_secret === null
        ? null
        : this.#keyring.decrypt(row.signing_secret, signingSecretIdentity(row.id))
    return { id: row.id, accountId: row.account_id, signingSecret }
  }
}

/** What a source's signing secret is bound to in the database. */
export const signingSecretIdentity = (sourceId: string): string => `source:${sourceId}:signing_secret`
