import { isUtf8 } from 'node:buffer'
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Pool } from 'pg'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { SourceDefaults } from '../contract/delivery.ts'
import { batched, named } from '../database/statement.ts'
import { GalleyError, refusal, tryLater } from '../errors.ts'
import { hashToken, isToken, type Keyring, secretsEqual } from '../secrets/keyring.ts'
import { signingKey } from './schema.ts'

/** What intake needs to know of a source. */
export interface KnownSource {
  id: string
  accountId: string
  /** Any of them may have signed, the newest first: the one before it stays valid for a while. Empty: nobody signs. */
  signingSecrets: string[]
  /** The sites that it may send to: these, and those that have one of the labels. Both empty: all of its account. */
  siteIds: string[]
  labels: string[]
  /** How its documents are written, and where they go, where they do not say. */
  defaults: SourceDefaults
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
  defaults: SourceDefaults
}

/** Tokens in one question to the database; one question is under way at a time. */
const MAX_TOKENS = 500

const LOOKUP_TOKENS = `
SELECT s.token_hash, s.id, s.account_id, s.signing_secret, s.site_ids, s.labels, s.defaults,
  CASE WHEN s.previous_token_until > now() THEN s.previous_token_hash END AS previous_token_hash,
  CASE WHEN s.previous_secret_until > now() THEN s.previous_signing_secret END AS previous
FROM source s JOIN account a ON a.id = s.account_id
WHERE (s.token_hash = ANY (:hashes::text[]) OR (s.previous_token_hash = ANY (:hashes::text[]) AND s.previous_token_until > now())) AND NOT s.built_in AND s.disabled_at IS NULL
  AND a.disabled_at IS NULL`

const LABELLED_SITES = `
SELECT id FROM site WHERE id = ANY (:siteIds::uuid[]) AND account_id = :accountId AND labels && :labels::text[]`

/** Sites of one document: each is a row that is written in one transaction. */
export const MAX_SITES_PER_DOCUMENT = 500

const SITES_WITH_LABELS = `
SELECT id FROM site WHERE account_id = :accountId AND labels && :labels::text[] ORDER BY id LIMIT :most`

/**
 * Finds the source of a webhook by the token in its address. Nothing is remembered: what is disabled or replaced ends with the
 * next webhook, in every process. Questions of one moment are one, so that nobody who tries tokens holds more than a connection.
 */
export class SourceLookup {
  readonly #pool: Pool
  readonly #keyring: Keyring

  constructor(pool: Pool, keyring: Keyring) {
    this.#pool = pool
    this.#keyring = keyring
  }

  /** Null for a token that no source has, and for a source or account that is disabled. */
  async byToken(token: string): Promise<KnownSource | null> {
    if (!isToken(token)) return null
    const row = await batched(
      this.#pool,
      'sources-by-token',
      hashToken(token),
      (hashes) => findSources(this.#pool, hashes),
      { most: MAX_TOKENS, oneAtATime: true },
    )
    if (row === undefined) return null
    const signingSecrets = [row.signing_secret, row.previous]
      .filter((stored) => stored !== null)
      .map((stored) => this.#keyring.decrypt(stored, signingSecretIdentity(row.id)))
    const { id, account_id: accountId, site_ids: siteIds, labels, defaults } = row
    return { id, accountId, signingSecrets, siteIds, labels, defaults }
  }

  /** Of these sites, those that a source may send to. Asks the database only about a site's labels. */
  async reachable(
    { accountId, siteIds, labels }: Pick<KnownSource, 'accountId' | 'siteIds' | 'labels'>,
    wanted: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (siteIds.length === 0 && labels.length === 0) return new Set(wanted)
    const reached = new Set(wanted.filter((id) => siteIds.includes(id)))
    if (labels.length === 0 || reached.size === wanted.length) return reached
    const { rows } = await this.#pool.query<{ id: string }>({
      ...named(LABELLED_SITES, { siteIds: wanted, accountId, labels }),
      query_timeout: ACK_TIMEOUT_MS,
    })
    return new Set([...reached, ...rows.map(({ id }) => id)])
  }

  /** Where a document of this source goes that names no site, and one site more than fit; none where the source does not say. */
  async defaultSites({
    accountId,
    defaults,
  }: Pick<KnownSource, 'accountId' | 'defaults'>): Promise<string[]> {
    if (defaults.site_id !== undefined) return [defaults.site_id]
    if (defaults.labels === undefined) return []
    const { rows } = await this.#pool.query<{ id: string }>({
      ...named(SITES_WITH_LABELS, { accountId, labels: defaults.labels, most: MAX_SITES_PER_DOCUMENT + 1 }),
      query_timeout: ACK_TIMEOUT_MS,
    })
    return rows.map(({ id }) => id)
  }
}

/** The sources with these tokens, in their order. */
async function findSources(pool: Pool, hashes: readonly string[]): Promise<(Row | undefined)[]> {
  const { rows } = await pool.query<Row>({
    // Prepared: every webhook asks it.
    name: 'sources-by-token',
    ...named(LOOKUP_TOKENS, { hashes: [...new Set(hashes)] }),
    query_timeout: ACK_TIMEOUT_MS,
  })
  const found = new Map(
    rows.flatMap((row) => [[row.token_hash, row] as const, [row.previous_token_hash, row] as const]),
  )
  return hashes.map((hash) => found.get(hash))
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

/** Before anything of what is sent is read. @throws GalleyError 404 `SOURCE_UNKNOWN`, 503 `NOT_STORED` */
export async function authenticateSender(sources: SourceLookup, token: string): Promise<Sender> {
  const knownAt = performance.now()
  // A connection to the database may take longer than the question itself.
  const source = await withAckTimeout(sources.byToken(token)).catch(throwNotStored)
  if (source === null) throw unknownSender()
  return { token, source, knownAt }
}

/** The sender as it is now. @throws GalleyError as {@link authenticateSender} */
export const revalidateSender = async (sources: SourceLookup, sender: Sender): Promise<KnownSource> =>
  performance.now() - sender.knownAt < SENDER_TTL_MS
    ? sender.source
    : (await authenticateSender(sources, sender.token)).source

export const unknownSender = (): GalleyError =>
  refusal(
    'SOURCE_UNKNOWN',
    'No source has this webhook address. Copy it again from where the source was created, or create a new one.',
    404,
  )

/**
 * Proves that a webhook was made by one who knows a signing secret of the source, in one of the two customary forms:
 * - Standard Webhooks (standardwebhooks.com): `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,BASE64`, or the same
 *   under the names that Svix sends, `svix-id` and so on;
 * - a plain `X-Signature-256` or `X-Hub-Signature-256: sha256=HEX` over the body.
 * @param secrets any of which may have signed; none where the source does not sign
 * @throws GalleyError 401 `SIGNATURE_MISSING`, `SIGNATURE_INVALID` or `SIGNATURE_EXPIRED`
 */
export function verifySignature(
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  body: Buffer,
): void {
  if (secrets.length === 0) return
  const prefix = (['webhook', 'svix'] as const).find((name) => headers[`${name}-signature`] !== undefined)
  if (prefix === undefined) verifyPlainSignature(secrets, headers, body)
  else verifyStandardWebhook(secrets, prefix, headers, body)
}

function verifyPlainSignature(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): void {
  const plain = singleHeader(headers['x-signature-256']) ?? singleHeader(headers['x-hub-signature-256'])
  if (plain === undefined) {
    throw refusal(
      'SIGNATURE_MISSING',
      'This source expects signed webhooks: send webhook-id, webhook-timestamp and webhook-signature, or X-Signature-256.',
      401,
    )
  }
  const fits = (secret: string) =>
    secretsEqual(plain, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  if (!secrets.some(fits)) throw signatureInvalid()
}

function verifyStandardWebhook(
  secrets: readonly string[],
  prefix: 'webhook' | 'svix',
  headers: IncomingHttpHeaders,
  body: Buffer,
): void {
  const [id = '', timestamp = '', signature = ''] = ['id', 'timestamp', 'signature'].map((name) =>
    singleHeader(headers[`${prefix}-${name}`]),
  )
  if (id === '' || timestamp === '')
    throw refusal(
      'SIGNATURE_MISSING',
      `${prefix}-signature came without ${prefix}-id or ${prefix}-timestamp.`,
      401,
    )
  // The library signs text, and would replace bytes that are not UTF-8.
  if (!isUtf8(body)) throw signatureInvalid()
  const given = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const failures = secrets.map((secret) => signatureFailure(secret, given, body))
  if (failures.includes(null)) return
  if (failures.some((failure) => failure !== null && /timestamp|Signature Headers/.test(failure)))
    throw refusal(
      'SIGNATURE_EXPIRED',
      `${prefix}-timestamp is more than 5 minutes from this server's clock.`,
      401,
    )
  throw signatureInvalid()
}

/** Why a secret did not make this signature, in the library's words; null where it did. */
function signatureFailure(secret: string, headers: Record<string, string>, body: Buffer): string | null {
  try {
    new Webhook(signingKey(secret), { format: 'raw' }).verify(body, headers, { jsonParse: false })
    return null
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message
    throw error
  }
}

const singleHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const signatureInvalid = (): GalleyError =>
  refusal(
    'SIGNATURE_INVALID',
    'The signature does not fit the body and the signing secret of this source.',
    401,
  )

/** What the sender reads. `httpStatus` is 202 where something new was stored and 200 for a repetition. */
export interface Acknowledgement {
  httpStatus: number
  body: object
}

/** Milliseconds after which the sender is told to come again: it waits for five seconds (docs/contract.md). */
export const ACK_TIMEOUT_MS = 4_000

/** By hand, since it is done for every webhook: a package for it makes an error of each, stack and all. */
async function withAckTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ACK_TIMEOUT_MS} ms`)), ACK_TIMEOUT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const UNREADABLE: ReadonlySet<string> = new Set(['secret_key_missing', 'secret_unreadable'])

/** What a sender hears, whose webhook could have been taken at any other time. Never a 2xx for what is not stored. */
export const notStoredError = (cause: unknown): GalleyError =>
  cause instanceof GalleyError && UNREADABLE.has(cause.code)
    ? signingSecretUnreadableError(cause)
    : tryLater(
        'NOT_STORED',
        'The webhook could not be stored just now and was not accepted. Send it again.',
        { retryAfterMs: 5_000, cause },
      )

/** For `.catch` of what the database has to say before a webhook is taken. */
export const throwNotStored = (cause: unknown): never => {
  throw notStoredError(cause)
}

/** The sender tries again later; the sentence is for whoever runs this Galley. */
const signingSecretUnreadableError = (cause: GalleyError): GalleyError =>
  new GalleyError({
    code: cause.code,
    message: `The webhook was not accepted, since its signature cannot be checked: ${cause.message} Send it again when that is done.`,
    httpStatus: 503,
    action: 'retry',
    cause,
  })

/** Where webhooks come in, as OpenAPI writes it: the token says from which source. */
export const webhookPath = '/v1/webhooks/{token}'

/** The whole address of a source. */
export const webhookUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${webhookPath.replace('{token}', token)}`
