import type { Registry } from 'prom-client'
import type { ByteBudget } from '../bytes/index.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/index.ts'
import type { Intake } from '../intake/index.ts'
import type { Logger } from '../log.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'

/** What the routers work with; `main.ts` composes it once. */
export interface Services {
  config: Config
  log: Logger
  database: Database
  outbound: Outbound
  /** The bytes this process may have in flight. */
  budget: ByteBudget
  keyring: Keyring
  intake: Intake
  metrics: Registry
}
