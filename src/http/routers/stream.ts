import { z } from 'zod'
import { answers, type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'

const streamHeaders = z.object({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'The id of the last event that was heard. What has changed since then is sent first, if it is not too long ago.',
    ),
})

export function streamEndpoints({ streams }: Services): Endpoint[] {
  return [
    endpoint('GET /v1/stream', {
      operationId: 'openStream',
      right: 'changes.read',
      summary: 'Follow changes as they happen',
      description:
        'Server-sent events. `ready` comes first, with `{"resumed"}`: unless that is true, read what you show. `changes` has `{"changes": [{"kind", "id"}]}`: of `delivery`, `site`, `event`, `job` (of the generation service) and `bulk_job`, those that were made, changed or removed, and nothing of what they are now. `reset` says that something may have been missed: read everything again. A line with a colon every 15 seconds says that it is still there.',
      headers: streamHeaders,
      answer: answers.own('Events, until either side ends it.', z.string(), { types: ['text/event-stream'] }),
      failures: {
        429: 'The key has 25 streams at this process, or the process as many as it may have.',
        503: 'This process is stopping.',
      },
      handle: ({ caller, headers: { 'last-event-id': after } }) => ({
        status: 200 as const,
        open: ({ send, end }) =>
          streams.open(caller, after, { send: ({ event, data, id }) => send(event, data, id), end }),
      }),
    }),
  ]
}
