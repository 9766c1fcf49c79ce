import type { ByteBudget } from '../../bytes/budget.ts'
import type { Logger } from '../../log/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Providers } from '../providers/types.ts'
import type { Storage } from '../storage/storage.ts'

export interface StepNeeds {
  providers: Providers
  storage: Storage
  outbound: Outbound
  budget: ByteBudget
  log: Logger
}

/** A page that was read for a document: what a text may cite, by `id`. Only Galley writes its address. */
export interface Source {
  id: string
  url: string
  title: string
  /** What it says, as plain text, cut to what a question can hold. */
  text: string
  published?: string | undefined
}
