import type { Logger } from '../../log.ts'

/** A delivery that was held without an attempt: nothing can be sent to its site. */
export interface HeldDelivery {
  delivery: string
  document: string
  site: string
  /** Why. */
  code: string
}

/** As of every delivery that ended, a line of each; to be called once that is stored. */
export function logHeld(log: Logger, all: readonly HeldDelivery[]): void {
  for (const held of all) log.info({ ...held, outcome: 'held' }, 'delivery ended')
}
