import { withoutEnd } from '../../../text.ts'

/** `: “…”`, or nothing: what WordPress said, for the end of a clause. */
export const quoted = (said: string | undefined): string =>
  said ? `: “${withoutEnd(said, '. \t\r\n')}”` : ''

/** ` (ray 8f2…)`, or nothing: what the site's host searches its log for. */
export const referenced = (reference: string | undefined): string => (reference ? ` (${reference})` : '')

/** The verbs that requests are described with (`reading the post`). */
const verbs: Readonly<Record<string, string>> = {
  creating: 'create',
  deleting: 'delete',
  describing: 'describe',
  filling: 'fill',
  finishing: 'finish',
  looking: 'look',
  reading: 'read',
  reserving: 'reserve',
  revoking: 'revoke',
  uploading: 'upload',
  verifying: 'verify',
  writing: 'write',
}

/** `read the post` of `reading the post`, after `is not allowed to`. */
export const infinitive = (doing: string): string => {
  const verb = verbs[doing.split(' ', 1)[0] ?? '']
  return verb === undefined ? `do this: ${doing}` : doing.replace(/^\S+/, verb)
}
