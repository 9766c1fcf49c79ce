import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { maxMarkupBytes } from '../blocks/document.ts'
import type { Issue } from '../contract/issues.ts'
import { LIMITS, LimitError } from '../contract/limits.ts'
import { parseJsonBody } from '../contract/payload.ts'
import { nameDocument } from '../contract/scalars.ts'
import {
  beyondLimit,
  listTitle,
  namesNoSite,
  type parseWebhook,
  readWebhook,
  type WebhookEvent,
} from '../contract/webhook.ts'
import { databaseFailure, databaseMessage, isDataError, isForeignKeyViolation } from '../database/errors.ts'
import { storableText } from '../database/statement.ts'
import { GalleyError, refusal } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { addSpanAttributes, currentTraceparent } from '../observe/trace.ts'
import { assertMarkupWithinLimit } from '../render/render.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { UnusableReason } from '../sources/schema.ts'
import {
  type Acknowledgement,
  authenticateSender,
  type KnownSource,
  MAX_SITES_PER_DOCUMENT,
  notStoredError,
  revalidateSender,
  type Sender,
  SourceLookup,
  throwNotStored,
  unknownSender,
  verifySignature,
} from '../sources/sender.ts'
import { type IncomingEvent, IntakeBatcher, type StoredEvent } from './store.ts'
import { type CountUnusable, type UnusableWebhook, unusableCounter } from './unusable.ts'

interface WebhookRequest {
  /** Who sends, known before the body was read. */
  sender: Sender
  headers: IncomingHttpHeaders
  body: Buffer
}

/**
 * Stores a webhook with the delivery it asks for, and only then acknowledges. What cannot be used is stored too, and refused.
 * @throws GalleyError 404 `SOURCE_UNKNOWN`, 401 for a signature, 400 `MALFORMED_JSON`,
 *   422 `WEBHOOK_UNUSABLE`, 503 `NOT_STORED` when the database does not take it: the sender tries again
 */
async function receiveWebhook(
  { sources, batcher, countUnusable }: ReturnType<typeof createParts>,
  { sender, headers, body }: WebhookRequest,
): Promise<Acknowledgement> {
  const source = await revalidateSender(sources, sender)
  await requireSignature(countUnusable, source, headers, body)

  const { event: parsed, rejection } = await parseEvent(source, body, sources)
  if (rejection !== null && (await countUnusable(source, rejection)) > MAX_KEPT)
    throw rejection.refusal(NOT_KEPT)
  const event = await enforceSourceLimits(sources, source, parsed)
  if (event.status === 'refused')
    await countUnusable(source, { reason: 'site_not_allowed', message: firstIssue(event.issues) })
  const { eventId, duplicate, refusal } = await storeEvent(batcher, event)
  addSpanAttributes({ 'galley.event': eventId, 'galley.duplicate': duplicate })
  if (refusal !== null) {
    await countUnusable(source, { reason: 'body_invalid', message: refusal.message })
    throw refusal
  }
  if (rejection !== null) throw rejection.refusal()
  const warnings = event.issues.length === 0 ? {} : { warnings: event.issues }
  return {
    httpStatus: duplicate ? 200 : 202,
    body: duplicate
      ? { success: true, duplicate: true, ...warnings }
      : { success: true, event_id: eventId, delivery: event.plans.length > 0, ...warnings },
  }
}

/** Unusable webhooks of a source that are stored for each reason. */
const MAX_KEPT = 1_000

const KEPT = 'It is kept under /v1/events for a person to look at.'
const NOT_KEPT = `It is not kept: so are the ${MAX_KEPT} before it.`

const SIGNATURE_REASONS: Readonly<Record<string, UnusableReason>> = {
  SIGNATURE_MISSING: 'signature_missing',
  SIGNATURE_INVALID: 'signature_invalid',
  SIGNATURE_EXPIRED: 'signature_expired',
}

/** @throws GalleyError of {@link verifySignature}, counted */
async function requireSignature(
  countUnusable: CountUnusable,
  source: KnownSource,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<void> {
  try {
    verifySignature(source.signingSecrets, headers, body)
  } catch (error) {
    const reason = error instanceof GalleyError ? SIGNATURE_REASONS[error.code] : undefined
    if (reason) await countUnusable(source, { reason, message: (error as GalleyError).message })
    throw error
  }
}

/** Why a webhook is not used, and what its sender is told. */
interface Rejection extends UnusableWebhook {
  /** @param kept whether it is stored, in a sentence */
  refusal(kept?: string): GalleyError
}

interface JudgedEvent {
  event: IncomingEvent
  rejection: Rejection | null
}

/**
 * Lets go of the parsed body, many times as large as its bytes, before it waits to be stored.
 * @param sources say where a document goes that names no site; nowhere if left out
 * @throws GalleyError 503 `NOT_STORED` when the database does not say it
 */
export async function parseEvent(
  source: Pick<KnownSource, 'id' | 'accountId' | 'defaults'>,
  body: Buffer,
  sources?: SourceLookup,
): Promise<JudgedEvent> {
  let json: unknown
  try {
    json = parseJsonBody(body)
  } catch (cause) {
    if (cause instanceof LimitError) return rejectedEvent(source, body, beyondLimit(cause))
    const message = `The body is not JSON: ${(cause as Error).message}.`
    const refusal = (kept = KEPT) =>
      new GalleyError({ code: 'MALFORMED_JSON', message: `${message} ${kept}`, httpStatus: 400, cause })
    return rejectedEvent(source, body, { issues: [{ path: '', message }], reason: 'not_json' }, refusal)
  }
  const { defaults } = source
  const chosen = namesNoSite(json) ? await defaultSites(source, sources) : []
  const parsed = await readSizedWebhook(json, { defaults, siteId: chosen[0] })
  if (!parsed.ok) return rejectedEvent(source, body, parsed)
  const { event, ignored } = parsed
  const delivery = deliveryOf(event)
  const siteIds =
    delivery === undefined || chosen.length > 0 ? chosen.slice(0, MAX_SITES_PER_DOCUMENT) : [delivery.id]
  const issues = chosen.length > MAX_SITES_PER_DOCUMENT ? [TOO_MANY_SITES, ...ignored] : ignored
  const status = siteIds.length === 0 ? 'kept' : 'planned'
  return { event: toIncomingEvent(source, body, { event, status, issues, siteIds }), rejection: null }
}

const TOO_MANY_SITES = {
  path: 'delivery',
  message: `names no site, and more than ${MAX_SITES_PER_DOCUMENT} sites have a label to which its source delivers: it goes to the first ${MAX_SITES_PER_DOCUMENT} of them. Deliver its event to the others`,
}

/** Nothing is read of it: it is kept as it came, with what is wrong with it. */
const rejectedEvent = (
  source: Pick<KnownSource, 'id' | 'accountId'>,
  body: Buffer,
  { issues, reason }: { issues: Issue[]; reason: UnusableReason },
  refusal: Rejection['refusal'] = (kept) => webhookUnusable(issues, kept),
): JudgedEvent => ({
  event: toIncomingEvent(source, body, { event: null, status: 'unusable', issues, siteIds: [] }),
  rejection: { reason, message: firstIssue(issues), refusal },
})

const defaultSites = async (
  source: Pick<KnownSource, 'accountId' | 'defaults'>,
  sources: SourceLookup | undefined,
): Promise<string[]> => sources?.defaultSites(source).catch(throwNotStored) ?? []

/** {@link readWebhook}, and what becomes too long a post is refused. */
export const readSizedWebhook = async (
  ...asked: Parameters<typeof readWebhook>
): ReturnType<typeof readWebhook> => refuseTooLong(await readWebhook(...asked))

/** Only a long document is rendered to find out how long its markup becomes. */
export function refuseTooLong(parsed: ReturnType<typeof parseWebhook>): ReturnType<typeof parseWebhook> {
  if (!parsed.ok || parsed.normalised === undefined) return parsed
  if (maxMarkupBytes(parsed.normalised) <= LIMITS.markupReceived) return parsed
  try {
    assertMarkupWithinLimit(parsed.normalised)
    return parsed
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return beyondLimit(error)
  }
}

const webhookUnusable = (details: Issue[], kept = KEPT): GalleyError =>
  refusal(
    'WEBHOOK_UNUSABLE',
    `The body is not a webhook that Galley understands; \`details\` names every field. ${kept}`,
    422,
    details,
  )

const firstIssue = ([{ path, message } = { path: '', message: '' }]: readonly Issue[]): string =>
  path === '' ? message : `${path}: ${message}`

const deliveryOf = (event: WebhookEvent | null) =>
  event?.event === 'document.completed' ? event.delivery : undefined

function toIncomingEvent(
  source: Pick<KnownSource, 'id' | 'accountId'>,
  body: Buffer,
  {
    event,
    siteIds,
    ...judged
  }: Pick<IncomingEvent, 'status' | 'issues'> & { event: WebhookEvent | null; siteIds: readonly string[] },
): IncomingEvent {
  const { documentId, reference: ownId } =
    event?.id === undefined ? NO_DOCUMENT : nameDocument(source.accountId, event.id)
  return {
    eventId: uuid(),
    accountId: source.accountId,
    sourceId: source.id,
    kind: event?.event ?? null,
    documentId,
    reference: ownId ?? deliveryOf(event)?.fields.reference ?? null,
    ...judged,
    digest: hash('sha256', body, 'buffer'),
    body,
    traceparent: currentTraceparent(),
    title: storedTitle(event),
    plans: siteIds.map((siteId) => ({ deliveryId: uuid(), siteId })),
  }
}

/** The title as lists show it. */
export function storedTitle(event: WebhookEvent | null): string | null {
  const title = listTitle(event)
  return title === null ? null : storableText(title) || null
}

const NO_DOCUMENT = { documentId: null, reference: null }

/**
 * Stores an event; as unusable where the database refuses what is in it.
 * @throws GalleyError 404 `SOURCE_UNKNOWN` where the source was removed meanwhile, 503 `NOT_STORED`
 */
async function storeEvent(
  batcher: IntakeBatcher,
  event: IncomingEvent,
): Promise<StoredEvent & { refusal: GalleyError | null }> {
  try {
    return { ...(await batcher.store(event)), refusal: null }
  } catch (error) {
    if (isForeignKeyViolation(error)) throw unknownSender()
    if (databaseFailure(error) !== 'refused') throw notStoredError(error)
    // What is wrong is not the webhook but the database: that no sender can help, and the log must say.
    if (!isDataError(error) || event.status === 'unusable') throw error
    const issues = [
      { path: '', message: `The database cannot store this webhook: ${databaseMessage(error)}` },
    ]
    const refused = {
      ...event,
      kind: null,
      ...NO_DOCUMENT,
      status: 'unusable',
      issues,
      plans: [],
    } as const
    return { ...(await storeEvent(batcher, refused)), refusal: webhookUnusable(issues) }
  }
}

const createParts = (pool: Pool, keyring: Keyring, log: Logger) => ({
  sources: new SourceLookup(pool, keyring),
  batcher: new IntakeBatcher(pool, log),
  countUnusable: unusableCounter(pool, log),
})

/** The way in for webhooks: first who sends, then, once that is known, what. */
export function createIntake(pool: Pool, keyring: Keyring, log: Logger) {
  const parts = createParts(pool, keyring, log)
  return {
    sender: (token: string): Promise<Sender> => authenticateSender(parts.sources, token),
    /** Counts one whose body could not be read. */
    countUnread: ({ source }: Sender, webhook: UnusableWebhook) => parts.countUnusable(source, webhook),
    receive: (request: WebhookRequest): Promise<Acknowledgement> => receiveWebhook(parts, request),
  }
}

export type Intake = ReturnType<typeof createIntake>

/**
 * The event without the sites that its source may not send to. Its sender is told of them in a warning beside a 2xx, since to
 * send it again would change nothing (docs/contract.md).
 * @throws GalleyError 503 `NOT_STORED` when the database does not say which sites it may send to
 */
export async function enforceSourceLimits(
  sources: SourceLookup,
  source: Pick<KnownSource, 'accountId' | 'siteIds' | 'labels'>,
  event: IncomingEvent,
): Promise<IncomingEvent> {
  const wanted = event.plans.map(({ siteId }) => siteId)
  const reached = await sources.reachable(source, wanted).catch(throwNotStored)
  const plans = event.plans.filter(({ siteId }) => reached.has(siteId))
  if (plans.length === event.plans.length) return event
  const issues = wanted
    .filter((siteId) => !reached.has(siteId))
    .map((siteId) => ({ path: 'delivery.id', message: outsideLimits(siteId) }))
  const status = plans.length === 0 ? 'refused' : event.status
  return { ...event, status, issues: [...issues, ...event.issues], plans }
}

const outsideLimits = (siteId: string): string =>
  `is the site ${siteId}, to which this source may not send: the document is kept, and delivered nowhere. Add the site to the limits of the source, and send it again`
