import type { Pool } from 'pg'
import type { Keyring } from '../secrets/index.ts'
import { IntakeBatcher } from './batcher.ts'
import { type Acknowledgement, receive, type WebhookRequest } from './receive.ts'
import { SourceLookup } from './source-lookup.ts'

export type { Acknowledgement, WebhookRequest } from './receive.ts'

/** The way in for webhooks. */
export interface Intake {
  /** See {@link receive}. */
  receive(request: WebhookRequest): Promise<Acknowledgement>
}

export function createIntake(pool: Pool, keyring: Keyring): Intake {
  const parts = { sources: new SourceLookup(pool, keyring), batcher: new IntakeBatcher(pool) }
  return { receive: (request) => receive(parts, request) }
}
