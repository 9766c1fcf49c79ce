import type { Pool } from 'pg'
import { hashToken, isToken, type Keyring } from '../secrets/index.ts'
import { GIVE_UP_MS } from '../webhook/patience.ts'

/** What intake needs to know of a source. */
export interface KnownSource {
  id: string
  accountId: string
  /** Any of them may have signed, the newest first: the one before it stays valid for a while. Empty: nobody signs. */
  signingSecrets: string[]
}

interface Row {
  token_hash: string
  id: string
  account_id: string
  signing_secret: string | null
  previous: string | null
}

interface Asked {
  hash: string
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/** Tokens in one question to the database; one question is under way at a time. */
const TOKENS = 500

const STATEMENT = `
SELECT s.token_hash, s.id, s.account_id, s.signing_secret,
  CASE WHEN s.previous_secret_until > now() THEN s.previous_signing_secret END AS previous
FROM source s JOIN account a ON a.id = s.account_id
WHERE s.token_hash = ANY ($1) AND NOT s.built_in AND s.disabled_at IS NULL
  AND a.disabled_at IS NULL`

/**
 * Finds the source of a webhook by the token in its address. Nothing is remembered: a source that is disabled, a token
 * or a secret that is replaced, ends with the next webhook, in every process. It stays cheap since what comes at the
 * same time, or while a question is under way, is asked in one, so that neither many senders nor one who tries tokens
 * hold more than one connection; what has not the form of a token is not asked at all.
 */
export class SourceLookup {
  readonly #pool: Pool
  readonly #keyring: Keyring
  #asked: Asked[] = []
  /** A question is under way, or about to be. */
  #busy = false

  constructor(pool: Pool, keyring: Keyring) {
    this.#pool = pool
    this.#keyring = keyring
  }

  /** Null for a token that no source has, and for a source or account that is disabled. */
  async byToken(token: string): Promise<KnownSource | null> {
    if (!isToken(token)) return null
    const hash = hashToken(token)
    const row = await new Promise<Row | undefined>((resolve, reject) => {
      this.#asked.push({ hash, resolve, reject })
      if (!this.#busy) this.#askSoon()
    })
    if (row === undefined) return null
    const signingSecrets = [row.signing_secret, row.previous]
      .filter((stored) => stored !== null)
      .map((stored) => this.#keyring.decrypt(stored, signingSecretIdentity(row.id)))
    return { id: row.id, accountId: row.account_id, signingSecrets }
  }

  /** Once all that has come in already is read: it shares the question. */
  #askSoon(): void {
    this.#busy = this.#asked.length > 0
    if (!this.#busy) return
    setImmediate(() => {
      void this.#answer(this.#asked.splice(0, TOKENS)).finally(() => this.#askSoon())
    })
  }

  async #answer(batch: Asked[]): Promise<void> {
    try {
      const hashes = [...new Set(batch.map(({ hash }) => hash))]
      const { rows } = await this.#pool.query<Row>({
        // Prepared: every webhook asks it.
        name: 'sources-by-token',
        text: STATEMENT,
        values: [hashes],
        query_timeout: GIVE_UP_MS,
      })
      const found = new Map(rows.map((row) => [row.token_hash, row]))
      for (const { hash, resolve } of batch) resolve(found.get(hash))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/** What a source's signing secret is bound to in the database. */
export const signingSecretIdentity = (sourceId: string): string => `source:${sourceId}:signing_secret`
