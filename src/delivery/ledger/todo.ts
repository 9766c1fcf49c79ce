import { transportFailures } from '../../outbound/catalogue.ts'
import { catalogue } from '../../wordpress/failures/index.ts'

const known: Readonly<Record<string, { todo: string } | undefined>> = { ...catalogue, ...transportFailures }

/** What the person who can mend it does next; null where the failure's own sentence says it. */
export const todoOf = (code: string): string | null => known[code]?.todo ?? null
