import type { IncomingMessage } from 'node:http'
import type { Acknowledgement } from '../intake/index.ts'
import { readBody } from './read-body.ts'
import type { Services } from './services.ts'

/**
 * Takes a webhook in the order that costs least for what is refused: who sends it, then its body, and only then what
 * is in it. Nothing of the body of an unknown sender is read.
 *
 * @throws GalleyError and the failures of `readBody`
 */
export async function takeWebhook(
  { intake, config, budget }: Pick<Services, 'intake' | 'config' | 'budget'>,
  request: IncomingMessage,
  token: string,
): Promise<Acknowledgement> {
  const sender = await intake.sender(token)
  const { bytes, share } = await readBody(request, config.maxWebhookBytes, budget.webhooks)
  try {
    return await intake.receive({ sender, headers: request.headers, body: bytes })
  } finally {
    share.release()
  }
}
