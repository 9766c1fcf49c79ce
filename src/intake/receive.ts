import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { excerptValue, type Issue } from '../contract/issues.ts'
import { findLimitViolationInBody, parseJsonBody } from '../contract/payload.ts'
import { listTitle, uuidSchema, type WebhookEvent } from '../contract/webhook.ts'
import { databaseFailure, databaseMessage, isDataError, isForeignKeyViolation } from '../database/errors.ts'
import { storableText } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { addSpanAttributes, currentTraceparent } from '../observe/trace.ts'
import type { Keyring } from '../secrets/index.ts'
import {
  authenticateSender,
  type KnownSource,
  revalidateSender,
  type Sender,
  SourceLookup,
  unknownSender,
} from '../sources/lookup.ts'
import { type Acknowledgement, notStoredError } from '../webhook/acknowledgement.ts'
import { parseWebhook } from '../webhook/parse.ts'
import { verifySignature } from './signature.ts'
import { type IncomingEvent, IntakeBatcher, type StoredEvent } from './store.ts'

interface WebhookRequest {
  /** Who sends, known before the body was read. */
  sender: Sender
  headers: IncomingHttpHeaders
  body: Buffer
}

/**
 * Takes one webhook: authenticates its sender, stores it with the delivery it asks for, and only then
 * acknowledges. What cannot be used is stored too, with what was wrong, and refused with the same words.
 *
 * @throws GalleyError 404 `SOURCE_UNKNOWN`, 401 for a signature, 400 `MALFORMED_JSON`,
 *   422 `WEBHOOK_UNUSABLE`, 503 `NOT_STORED` when the database does not take it: the sender tries again
 */
async function receiveWebhook(
  { sources, batcher }: { sources: SourceLookup; batcher: IntakeBatcher },
  { sender, headers, body }: WebhookRequest,
): Promise<Acknowledgement> {
  const source = await revalidateSender({ sources }, sender)
  verifySignature(source.signingSecrets, headers, body)

  const { event: parsed, rejection } = parseEvent(source, body)
  const event = await enforceSourceLimits(sources, source, parsed)
  const { eventId, duplicate, refusal } = await storeEvent(batcher, event)
  addSpanAttributes({ 'galley.event': eventId, 'galley.duplicate': duplicate })
  if (refusal !== null) throw refusal
  if (rejection !== null) throw rejection
  const warnings = event.issues === null ? {} : { warnings: event.issues }
  return {
    httpStatus: duplicate ? 200 : 202,
    body: duplicate
      ? { success: true, duplicate: true, ...warnings }
      : { success: true, event_id: eventId, delivery: event.plan !== null, ...warnings },
  }
}

/** Lets go of the parsed body, many times as large as its bytes, before it waits to be stored. */
export function parseEvent(
  source: { id: string; accountId: string },
  body: Buffer,
): { event: IncomingEvent; rejection: GalleyError | null } {
  const judged = parseBody(body)
  return { event: toIncomingEvent(source, body, judged), rejection: judged.refusal }
}

/** A webhook as far as it could be understood. */
interface ParsedWebhook {
  event: WebhookEvent | null
  issues: Issue[] | null
  /** What it seems to ask for and Galley does not do. */
  ignored: Issue[]
  refusal: GalleyError | null
}

function parseBody(body: Buffer): ParsedWebhook {
  let json: unknown
  try {
    const excess = findLimitViolationInBody(body)
    if (excess) return unusableWebhook([{ path: excess.path, message: excess.message }])
    json = parseJsonBody(body)
  } catch (cause) {
    const message = `The body is not JSON: ${(cause as Error).message}. It is kept under /v1/events for a person to look at.`
    return rejectedWebhook(
      [{ path: '', message }],
      new GalleyError({ code: 'MALFORMED_JSON', message, httpStatus: 400, cause }),
    )
  }
  const parsed = parseWebhook(json)
  if (parsed.ok) return { event: parsed.event, issues: null, ignored: parsed.ignored, refusal: null }
  return unusableWebhook(parsed.issues)
}

const unusableWebhook = (issues: Issue[]): ParsedWebhook => rejectedWebhook(issues, webhookUnusable(issues))

const webhookUnusable = (details: Issue[]): GalleyError =>
  new GalleyError({
    code: 'WEBHOOK_UNUSABLE',
    message:
      'The body is not a webhook that Galley understands. It is kept under /v1/events; `details` names every field.',
    httpStatus: 422,
    details,
  })

const rejectedWebhook = (issues: Issue[], refusal: GalleyError): ParsedWebhook => ({
  event: null,
  issues,
  ignored: [],
  refusal,
})

function toIncomingEvent(
  source: { id: string; accountId: string },
  body: Buffer,
  { event, issues, ignored }: ParsedWebhook,
): IncomingEvent {
  const delivery = event?.event === 'document.completed' ? event.delivery : undefined
  const { documentId, noted } = documentIdOf(event)
  return {
    eventId: uuid(),
    accountId: source.accountId,
    sourceId: source.id,
    kind: event?.event ?? null,
    documentId,
    status: issues !== null ? 'unusable' : delivery === undefined ? 'kept' : 'planned',
    issues: issues ?? (noted.length + ignored.length > 0 ? [...noted, ...ignored] : null),
    digest: hash('sha256', body, 'buffer'),
    body,
    traceparent: currentTraceparent(),
    plan:
      delivery === undefined ? null : { deliveryId: uuid(), siteId: delivery.id, title: storedTitle(event) },
  }
}

/** The title as lists show it. */
export function storedTitle(event: WebhookEvent | null): string | null {
  const title = listTitle(event)
  return title === null ? null : storableText(title) || null
}

/** Only a UUID names a document. An event of a kind that is merely kept may carry any other id: that is noted on it. */
function documentIdOf(event: WebhookEvent | null): { documentId: string | null; noted: Issue[] } {
  const id = event?.id
  if (id === undefined) return { documentId: null, noted: [] }
  const read = uuidSchema.safeParse(id)
  if (read.success) return { documentId: read.data, noted: [] }
  return { documentId: null, noted: [{ path: 'id', message: `expected a UUID; got ${excerptValue(id)}` }] }
}

/**
 * Stores an event. One that the database refuses for what is in it is stored as what it is: something that cannot be
 * used, with the reason.
 *
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
      documentId: null,
      status: 'unusable',
      issues,
      plan: null,
    } as const
    return { ...(await storeEvent(batcher, refused)), refusal: webhookUnusable(issues) }
  }
}

/** The way in for webhooks: first who sends, then, once that is known, what. */
export interface Intake {
  /** See {@link authenticateSender}. */
  sender(token: string): Promise<Sender>
  /** See {@link receiveWebhook}. */
  receive(request: WebhookRequest): Promise<Acknowledgement>
}

export function createIntake(pool: Pool, keyring: Keyring, log: Logger): Intake {
  const parts = { sources: new SourceLookup(pool, keyring), batcher: new IntakeBatcher(pool, log) }
  return {
    sender: (token) => authenticateSender(parts, token),
    receive: (request) => receiveWebhook(parts, request),
  }
}

/**
 * The event as its source may bring it: one for a site that the source may not send to is kept, and plans nothing. Its
 * sender is told so in a warning beside a 2xx, since to send it again would change nothing (docs/contract.md).
 *
 * @throws GalleyError 503 `NOT_STORED` when the database does not say which sites it may send to
 */
export async function enforceSourceLimits(
  sources: SourceLookup,
  source: Pick<KnownSource, 'accountId' | 'siteIds' | 'labels'>,
  event: IncomingEvent,
): Promise<IncomingEvent> {
  if (event.plan === null) return event
  let mayReach: boolean
  try {
    mayReach = await sources.mayReach(source, event.plan.siteId)
  } catch (cause) {
    throw notStoredError(cause)
  }
  if (mayReach) return event
  const issue = { path: 'delivery.id', message: outsideLimits(event.plan.siteId) }
  return { ...event, status: 'refused', issues: [issue, ...(event.issues ?? [])], plan: null }
}

const outsideLimits = (siteId: string): string =>
  `is the site ${siteId}, to which this source may not send: the document is kept, and delivered nowhere. Add the site to the limits of the source (PATCH /v1/sources), and send it again`
