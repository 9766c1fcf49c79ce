import { transportFailures } from '../../outbound/catalogue.ts'
import { catalogue } from '../../wordpress/failures/index.ts'

const known: Readonly<Record<string, { todo: string; reconnect?: true } | undefined>> = {
  ...catalogue,
  ...transportFailures,
}

/** A failure's sentence without what to do about it, where that is said beside it. */
export const withoutTodo = (message: string, todo: string | null): string =>
  todo !== null && message.endsWith(` ${todo}`) ? message.slice(0, -todo.length - 1) : message

/** What the person who can mend it does next; null where the failure's own sentence says it. */
export const todoOf = (code: string): string | null => known[code]?.todo ?? null

/** Whether what failed with this code goes on once its site is connected again. */
export const wantsReconnect = (code: string): boolean =>
  code === 'secret_unreadable' || known[code]?.reconnect === true
