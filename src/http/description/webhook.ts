import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { LIMITS } from '../../contract/limits.ts'
import { webhookSchema } from '../../contract/webhook.ts'
import { uuid } from '../../contract/wire.ts'
import { webhookPath } from '../../webhook/path.ts'
import { failing, json } from './parts.ts'

const warnings = z
  .array(z.object({ path: z.string(), message: z.string() }))
  .optional()
  .describe(
    'By field, what it seems to ask for and Galley ignores: a delivery that is missing, names that are not known.',
  )

const accepted = z.object({
  success: z.literal(true),
  event_id: uuid,
  delivery: z.boolean().describe('Whether it asks for a delivery.'),
  warnings,
})

const repeated = z.object({ success: z.literal(true), duplicate: z.literal(true), warnings })

/** The one call that no key opens, and whose body is read as bytes; so it is described by itself. */
export const webhookDescription: ZodOpenApiPathsObject = {
  [webhookPath]: {
    post: {
      operationId: 'sendWebhook',
      summary: 'Send a webhook',
      description:
        'It is stored before it is acknowledged: after a 2xx, the document is delivered or held. A document may have ' +
        `${LIMITS.blocks} blocks, ${LIMITS.cells} cells in a table (rows by the widest row), ${LIMITS.files} pictures and ` +
        `sounds, ${LIMITS.textLength} characters, and become ${LIMITS.markupReceived} bytes of markup; categories and ` +
        `tags are ${LIMITS.terms} each at most.`,
      tags: ['Webhooks'],
      security: [],
      requestParams: { path: z.object({ token: z.string().describe('As in the address of the source.') }) },
      requestBody: { content: json(webhookSchema) },
      responses: {
        202: { description: 'Stored.', content: json(accepted) },
        200: { description: 'Stored before: the same body from the same source.', content: json(repeated) },
        400: failing('The body is not JSON.'),
        401: failing('The source requires a signature, and none that fits was sent.'),
        404: failing('No source has this address, or it is disabled.', ['SOURCE_UNKNOWN']),
        413: failing('The body is larger than Galley accepts.', ['BODY_TOO_LARGE']),
        422: failing(
          'The body is not a webhook that Galley understands, or exceeds a limit; it is kept under /v1/events.',
        ),
        503: failing('It could not be stored just now: send it again.'),
        default: failing('Any other failure.'),
      },
    },
  },
}
