import type { Registry } from 'prom-client'
import type { ByteBudget } from '../bytes/budget.ts'
import type { ChangeStreams } from '../changes/streams.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/client.ts'
import type { SiteStylesCache } from '../delivery/preview/preview.ts'
import type { GalleyError } from '../errors.ts'
import type { Providers } from '../generation/providers/types.ts'
import type { Storage } from '../generation/storage/storage.ts'
import type { Intake } from '../intake/receive.ts'
import type { Logger } from '../log/log.ts'
import type { SendComposed } from '../notifications/mail/mailer.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Keyring } from '../secrets/keyring.ts'

/** Resolves with what keeps a process from its work, in words for whoever runs it; with undefined where nothing does. */
export type ReadinessCheck = () => Promise<GalleyError | undefined>

/** What the routers work with; `main.ts` composes it once. */
export interface Services {
  config: Config
  log: Logger
  database: Database
  outbound: Outbound
  budget: ByteBudget
  keyring: Keyring
  intake: Intake
  storage: Storage
  styles: SiteStylesCache
  providers: Providers
  metrics: Registry
  streams: ChangeStreams
  /** Undefined where this Galley sends no mail. */
  mail?: SendComposed | undefined
  /** What else must be well for this process to be ready; see {@link ReadinessCheck}. */
  checks?: ReadinessCheck[]
}
