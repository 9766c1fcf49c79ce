import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { v7 as uuid } from 'uuid'
import { findExcessUnparsed } from '../contract/excess.ts'
import { excerpt, type Issue } from '../contract/issues.ts'
import { parseJson } from '../contract/json.ts'
import { shownTitle } from '../contract/shown-title.ts'
import { parseWebhook, uuidSchema, type WebhookEvent } from '../contract/webhook.ts'
import { databaseFailure, isOrphan, refusesData, saidByDatabase } from '../database/sqlstates.ts'
import { storableText } from '../database/storable.ts'
import { GalleyError } from '../errors.ts'
import { tellSpan, traceparent } from '../observe/trace.ts'
import type { SourceLookup } from '../sources/lookup.ts'
import { knownStill, type Sender, sourceUnknown } from '../sources/sender.ts'
import type { Acknowledgement } from '../webhook/acknowledgement.ts'
import { notStored } from '../webhook/not-stored.ts'
import type { IntakeBatcher } from './batcher.ts'
import { withinLimits } from './limits.ts'
import { requireSignature } from './signature.ts'
import type { Incoming, Stored } from './store.ts'

export interface WebhookRequest {
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
export async function receive(
  { sources, batcher }: { sources: SourceLookup; batcher: IntakeBatcher },
  { sender, headers, body }: WebhookRequest,
): Promise<Acknowledgement> {
  const source = await knownStill({ sources }, sender)
  requireSignature(source.signingSecrets, headers, body)

  const { event: understood, unfit } = understand(source, body)
  const event = await withinLimits(sources, source, understood)
  const { eventId, duplicate, refusal } = await store(batcher, event)
  tellSpan({ 'galley.event': eventId, 'galley.duplicate': duplicate })
  if (refusal !== null) throw refusal
  if (unfit !== null) throw unfit
  const warnings = event.issues === null ? {} : { warnings: event.issues }
  return {
    httpStatus: duplicate ? 200 : 202,
    body: duplicate
      ? { success: true, duplicate: true, ...warnings }
      : { success: true, event_id: eventId, delivery: event.plan !== null, ...warnings },
  }
}

/** Lets go of the parsed body, many times as large as its bytes, before it waits to be stored. */
export function understand(
  source: { id: string; accountId: string },
  body: Buffer,
): { event: Incoming; unfit: GalleyError | null } {
  const judged = judge(body)
  return { event: asIncoming(source, body, judged), unfit: judged.refusal }
}

/** A webhook as far as it could be understood. */
interface Judged {
  event: WebhookEvent | null
  issues: Issue[] | null
  /** What it seems to ask for and Galley does not do. */
  ignored: Issue[]
  refusal: GalleyError | null
}

function judge(body: Buffer): Judged {
  let json: unknown
  try {
    const excess = findExcessUnparsed(body)
    if (excess) return unusable([{ path: excess.path, message: excess.message }])
    json = parseJson(body)
  } catch (cause) {
    const message = `The body is not JSON: ${(cause as Error).message}. It is kept under /v1/events for a person to look at.`
    return refused(
      [{ path: '', message }],
      new GalleyError({ code: 'MALFORMED_JSON', message, httpStatus: 400, cause }),
    )
  }
  const parsed = parseWebhook(json)
  if (parsed.ok) return { event: parsed.event, issues: null, ignored: parsed.ignored, refusal: null }
  return unusable(parsed.issues)
}

const unusable = (issues: Issue[]): Judged => refused(issues, notUnderstood(issues))

const notUnderstood = (details: Issue[]): GalleyError =>
  new GalleyError({
    code: 'WEBHOOK_UNUSABLE',
    message:
      'The body is not a webhook that Galley understands. It is kept under /v1/events; `details` names every field.',
    httpStatus: 422,
    details,
  })

const refused = (issues: Issue[], refusal: GalleyError): Judged => ({
  event: null,
  issues,
  ignored: [],
  refusal,
})

function asIncoming(
  source: { id: string; accountId: string },
  body: Buffer,
  { event, issues, ignored }: Judged,
): Incoming {
  const delivery = event?.event === 'document.completed' ? event.delivery : undefined
  const { documentId, noted } = identify(event)
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
    traceparent: traceparent(),
    plan:
      delivery === undefined ? null : { deliveryId: uuid(), siteId: delivery.id, title: storedTitle(event) },
  }
}

/** The title as lists show it. */
export function storedTitle(event: WebhookEvent | null): string | null {
  const title = shownTitle(event)
  return title === null ? null : storableText(title) || null
}

/** Only a UUID names a document. An event of a kind that is merely kept may carry any other id: that is noted on it. */
function identify(event: WebhookEvent | null): { documentId: string | null; noted: Issue[] } {
  const id = event?.id
  if (id === undefined) return { documentId: null, noted: [] }
  const read = uuidSchema.safeParse(id)
  if (read.success) return { documentId: read.data, noted: [] }
  return { documentId: null, noted: [{ path: 'id', message: `expected a UUID; got ${excerpt(id)}` }] }
}

/**
 * Stores an event. One that the database refuses for what is in it is stored as what it is: something that cannot be
 * used, with the reason.
 *
 * @throws GalleyError 404 `SOURCE_UNKNOWN` where the source was removed meanwhile, 503 `NOT_STORED`
 */
async function store(
  batcher: IntakeBatcher,
  event: Incoming,
): Promise<Stored & { refusal: GalleyError | null }> {
  try {
    return { ...(await batcher.store(event)), refusal: null }
  } catch (error) {
    if (isOrphan(error)) throw sourceUnknown()
    if (databaseFailure(error) !== 'refused') throw notStored(error)
    // What is wrong is not the webhook but the database: that no sender can help, and the log must say.
    if (!refusesData(error) || event.status === 'unusable') throw error
    const issues = [{ path: '', message: `The database cannot store this webhook: ${saidByDatabase(error)}` }]
    const refused = {
      ...event,
      kind: null,
      documentId: null,
      status: 'unusable',
      issues,
      plan: null,
    } as const
    return { ...(await store(batcher, refused)), refusal: notUnderstood(issues) }
  }
}
