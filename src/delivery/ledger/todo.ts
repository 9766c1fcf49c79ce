import { transportFailures } from '../../outbound/catalogue.ts'
import { catalogue } from '../../wordpress/failures/index.ts'

const known: Readonly<Record<string, { todo: string; reconnect?: true } | undefined>> = {
  ...catalogue,
  ...transportFailures,
}

/** What the person who can mend it does next; null where the failure's own sentence says it. */
export const todoOf = (code: string): string | null => known[code]?.todo ?? null

/** Whether what failed with this code goes on once its site is connected again. */
export const wantsReconnect = (code: string): boolean =>
  code === 'secret_unreadable' || known[code]?.reconnect === true
