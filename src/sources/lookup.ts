import type { Pool } from 'pg'
import { named } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import { hashToken, isToken, type Keyring } from '../secrets/index.ts'
import { ACK_TIMEOUT_MS, notStoredError, withAckTimeout } from '../webhook/acknowledgement.ts'

/** What intake needs to know of a source. */
export interface KnownSource {
  id: string
  accountId: string
  /** Any of them may have signed, the newest first: the one before it stays valid for a while. Empty: nobody signs. */
  signingSecrets: string[]
  /** The sites that it may send to: these, and those that have one of the labels. Both empty: all of its account. */
  siteIds: string[]
  labels: string[]
}

interface Row {
  token_hash: string
  /** Of the address before it, while that works. */
  previous_token_hash: string | null
  id: string
  account_id: string
  signing_secret: string | null
  previous: string | null
  site_ids: string[]
  labels: string[]
}

interface TokenLookup {
  hash: string
  resolve: (row: Row | undefined) => void
  reject: (error: unknown) => void
}

/** Tokens in one question to the database; one question is under way at a time. */
const MAX_TOKENS = 500

const LOOKUP_TOKENS = `
SELECT s.token_hash, s.id, s.account_id, s.signing_secret, s.site_ids, s.labels,
  CASE WHEN s.previous_token_until > now() THEN s.previous_token_hash END AS previous_token_hash,
  CASE WHEN s.previous_secret_until > now() THEN s.previous_signing_secret END AS previous
FROM source s JOIN account a ON a.id = s.account_id
WHERE (s.token_hash = ANY ($1) OR (s.previous_token_hash = ANY ($1) AND s.previous_token_until > now())) AND NOT s.built_in AND s.disabled_at IS NULL
  AND a.disabled_at IS NULL`

const LABELLED_SITES = `
SELECT FROM site WHERE id = :siteId AND account_id = :accountId AND labels && :labels::text[]`

/**
 * Finds the source of a webhook by the token in its address. Nothing is remembered: a source that is disabled, a token
 * or a secret that is replaced, ends with the next webhook, in every process. It stays cheap since what comes at the
 * same time, or while a question is under way, is asked in one, so that neither many senders nor one who tries tokens
 * hold more than one connection; what has not the form of a token is not asked at all.
 */
export class SourceLookup {
  readonly #pool: Pool
  readonly #keyring: Keyring
  #asked: TokenLookup[] = []
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
    const { id, account_id: accountId, site_ids: siteIds, labels } = row
    return { id, accountId, signingSecrets, siteIds, labels }
  }

  /** Whether a source may send to a site. Asks the database only where that is a matter of the site's labels. */
  async mayReach(
    { accountId, siteIds, labels }: Pick<KnownSource, 'accountId' | 'siteIds' | 'labels'>,
    siteId: string,
  ): Promise<boolean> {
    if ((siteIds.length === 0 && labels.length === 0) || siteIds.includes(siteId)) return true
    if (labels.length === 0) return false
    const { rowCount } = await this.#pool.query({
      ...named(LABELLED_SITES, { siteId, accountId, labels }),
      query_timeout: ACK_TIMEOUT_MS,
    })
    return rowCount === 1
  }

  /** Once all that has come in already is read: it shares the question. */
  #askSoon(): void {
    this.#busy = this.#asked.length > 0
    if (!this.#busy) return
    setImmediate(() => {
      void this.#answer(this.#asked.splice(0, MAX_TOKENS)).finally(() => this.#askSoon())
    })
  }

  async #answer(batch: TokenLookup[]): Promise<void> {
    try {
      const hashes = [...new Set(batch.map(({ hash }) => hash))]
      const { rows } = await this.#pool.query<Row>({
        // Prepared: every webhook asks it.
        name: 'sources-by-token',
        text: LOOKUP_TOKENS,
        values: [hashes],
        query_timeout: ACK_TIMEOUT_MS,
      })
      const found = new Map<string | null, Row>(
        rows.flatMap((row) => [
          [row.token_hash, row],
          [row.previous_token_hash, row],
        ]),
      )
      for (const { hash, resolve } of batch) resolve(found.get(hash))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/** What a source's signing secret is bound to in the database. */
export const signingSecretIdentity = (sourceId: string): string => `source:${sourceId}:signing_secret`

/** Who sends a webhook, by the token in its address, as known before its body is read. */
export interface Sender {
  token: string
  source: KnownSource
  /** When that was looked up, as `performance.now()` counts. */
  knownAt: number
}

/** Milliseconds after which a sender is looked up again: its body took its time, and the source may have ended since. */
const SENDER_TTL_MS = 1_000

/**
 * Finds out who sends, before anything of what is sent is read.
 *
 * @throws GalleyError 404 `SOURCE_UNKNOWN`, 503 `NOT_STORED` when the database does not say
 */
export async function authenticateSender(
  { sources }: { sources: SourceLookup },
  token: string,
): Promise<Sender> {
  const knownAt = performance.now()
  let source: KnownSource | null
  try {
    // The batcher keeps time for itself.
    source = await withAckTimeout(sources.byToken(token))
  } catch (cause) {
    throw notStoredError(cause)
  }
  if (source === null) throw unknownSender()
  return { token, source, knownAt }
}

/** The sender as it is now. @throws GalleyError as {@link authenticateSender} */
export const revalidateSender = async (
  parts: { sources: SourceLookup },
  sender: Sender,
): Promise<KnownSource> =>
  performance.now() - sender.knownAt < SENDER_TTL_MS
    ? sender.source
    : (await authenticateSender(parts, sender.token)).source

export const unknownSender = (): GalleyError =>
  new GalleyError({
    code: 'SOURCE_UNKNOWN',
    message:
      'No source has this webhook address. Copy it again from where the source was created, or create a new one.',
    httpStatus: 404,
  })
