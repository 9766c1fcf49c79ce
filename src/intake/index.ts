import type { Pool } from 'pg'
import type { Logger } from '../log.ts'
import type { Keyring } from '../secrets/index.ts'
import { SourceLookup } from '../sources/lookup.ts'
import { knowSender, type Sender } from '../sources/sender.ts'
import type { Acknowledgement } from '../webhook/acknowledgement.ts'
import { IntakeBatcher } from './batcher.ts'
import { receive, type WebhookRequest } from './receive.ts'

/** The way in for webhooks: first who sends, then, once that is known, what. */
export interface Intake {
  /** See {@link knowSender}. */
  sender(token: string): Promise<Sender>
  /** See {@link receive}. */
  receive(request: WebhookRequest): Promise<Acknowledgement>
}

export function createIntake(pool: Pool, keyring: Keyring, log: Logger): Intake {
  const parts = { sources: new SourceLookup(pool, keyring), batcher: new IntakeBatcher(pool, log) }
  return {
    sender: (token) => knowSender(parts, token),
    receive: (request) => receive(parts, request),
  }
}
