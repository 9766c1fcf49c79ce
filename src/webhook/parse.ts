import { type Issue, toIssues } from '../contract/issues.ts'
import { LimitError } from '../contract/limits.ts'
import { normaliseDocument } from '../contract/normalise.ts'
import { countTextUnits } from '../contract/payload.ts'
import type { NormalisedDocument } from '../contract/tree.ts'
import { unknownMembers } from '../contract/unknown-members.ts'
import {
  EMPTY_DOCUMENT_MESSAGE,
  isEmptyDocument,
  type WebhookEvent,
  webhookSchema,
} from '../contract/webhook.ts'
import { assertMarkupWithinLimit } from '../render/render.ts'

/**
 * `ignored`: members that Galley does not act on; they do not keep the webhook from being stored. `normalised`: the document
 * of a completed event.
 */
type ParsedWebhook =
  | { ok: true; event: WebhookEvent; ignored: Issue[]; normalised?: NormalisedDocument }
  | { ok: false; issues: Issue[] }

/**
 * Reads the parsed JSON body of a webhook. Safe for any depth of nesting; what it accepts can be stored, walked
 * recursively, and made a post of within the `LIMITS`.
 */
export function parseWebhook(json: unknown): ParsedWebhook {
  try {
    return readWebhook(json, countTextUnits(json))
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return { ok: false, issues: [{ path: error.path, message: error.message }] }
  }
}

/** @throws LimitError what the document would exceed on its way to a post */
function readWebhook(json: unknown, text: number): ParsedWebhook {
  const result = webhookSchema.safeParse(json)
  if (!result.success) return { ok: false, issues: toIssues(result.error, json) }
  const event = result.data
  if (event.event !== 'document.completed') return { ok: true, event, ignored: [] }
  const normalised = normaliseDocument(event.data, text)
  assertMarkupWithinLimit(normalised)
  if (isEmptyDocument(normalised.document))
    return { ok: false, issues: [{ path: 'data.content.content', message: EMPTY_DOCUMENT_MESSAGE }] }
  const ignored = unknownMembers(json)
  if (event.delivery === undefined) ignored.unshift({ path: 'delivery', message: NO_DELIVERY })
  return { ok: true, event, ignored, normalised }
}

const NO_DELIVERY =
  'is missing, so this document is kept and delivered nowhere: name a connected site in it, as {"id": "UUID", "post_status": "draft"}'
