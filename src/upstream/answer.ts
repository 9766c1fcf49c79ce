import { z } from 'zod'
import { toIssues } from '../contract/issues.ts'
import { LimitError } from '../contract/limits.ts'
import { parseJsonBody } from '../contract/payload.ts'
import { documentIdSchema } from '../contract/scalars.ts'
import { listTitle, parseWebhook } from '../contract/webhook.ts'
import type { GalleyError } from '../errors.ts'
import { excerpt } from '../lib/text.ts'
import { type UpstreamRequest, upstreamFailure } from './failures.ts'

/** `delivery` of a webhook, not validated. */
export type WireDelivery = object | null

/** A document in the form of a webhook. */
export interface UpstreamDocument {
  body: Buffer
  title: string | null
}

const statusSchema = z.looseObject(
  {
    id: documentIdSchema,
    status: z.string('expected a string'),
    data: z.looseObject({}, 'expected an object').nullish(),
    delivery: z.looseObject({}).nullish(),
    error: z
      .looseObject({ code: z.string().optional().catch(undefined) })
      .optional()
      .catch(undefined),
  },
  'expected a JSON object',
)

/**
 * Converts the answer to `GET …/document/status/{id}` to the webhook that would have brought the document. A `delivery`
 * in the answer wins, although the contract has no such member.
 * @param delivery of the webhook or request that named the document
 * @param redact takes the key out of what a failure quotes; the document keeps its words
 * @throws GalleyError `upstream_not_completed`, `upstream_document_failed`, `upstream_answer_unusable`
 */
export function parseStatusAnswer(
  asked: UpstreamRequest,
  bytes: Buffer,
  delivery: WireDelivery,
  redact: (quoted: string) => string,
): UpstreamDocument {
  const unusable = (why: string, cause?: unknown): GalleyError =>
    upstreamFailure('upstream_answer_unusable', asked, redact(why), { cause })
  const json = parsed(bytes, unusable)
  const read = statusSchema.safeParse(json)
  if (!read.success) throw unusable(inWords(toIssues(read.error, json)))
  const { id, status, data, delivery: said, error } = read.data
  if (id !== asked.documentId) throw unusable(`it is about document ${id}.`)
  if (status === 'failed')
    throw upstreamFailure(
      'upstream_document_failed',
      asked,
      excerpt(redact(error?.code ?? 'it does not say why'), 60),
    )
  if (status !== 'completed')
    throw upstreamFailure('upstream_not_completed', asked, `“${excerpt(redact(status), 40)}”`)
  if (said && delivery && siteOf(said) !== siteOf(delivery))
    throw unusable('it names another site than the webhook did.')
  const goes = said ?? delivery
  const webhook = { event: 'document.completed', id, status, data, ...(goes && { delivery: goes }) }
  const parsedWebhook = parseWebhook(webhook)
  if (!parsedWebhook.ok) throw unusable(inWords(parsedWebhook.issues))
  return { body: Buffer.from(JSON.stringify(webhook)), title: listTitle(parsedWebhook.event) }
}

function parsed(bytes: Buffer, unusable: (why: string, cause?: unknown) => GalleyError): unknown {
  try {
    return parseJsonBody(bytes)
  } catch (cause) {
    throw unusable(cause instanceof LimitError ? cause.message : 'it is not JSON.', cause)
  }
}

const inWords = (issues: readonly { path: string; message: string }[]): string =>
  issues.map(({ path, message }) => `${path === '' ? 'the answer' : path}: ${message}.`).join(' ')

const siteOf = (delivery: object): string | undefined => {
  const id: unknown = 'id' in delivery ? delivery.id : undefined
  return typeof id === 'string' ? id.toLowerCase() : undefined
}
