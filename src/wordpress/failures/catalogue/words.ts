import { withoutEnd } from '../../../text.ts'

/** `: “…”`, or nothing: what WordPress said, for the end of a clause. */
export const quoted = (said: string | undefined): string =>
  said ? `: “${withoutEnd(said, '. \t\r\n')}”` : ''

/** ` (ray 8f2…)`, or nothing: what the site's host searches its log for. */
export const referenced = (reference: string | undefined): string => (reference ? ` (${reference})` : '')
