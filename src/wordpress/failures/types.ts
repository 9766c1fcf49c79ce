import type { Action, AtFault } from '../../errors.ts'

export interface FailureFacts {
  /** How the site is named to people, e.g. `example.com/blog`. */
  site: string
  /** What was being done, as in “while … ”: `creating the post`. */
  doing: string
  status: number
  /** What WordPress itself said, without markup. */
  said?: string
  /** Ray, incident or rule id: what the site's host needs to find the event. */
  reference?: string
  /** Where a redirect points, or who else answered. */
  found?: string
  by?: string
  /** Of the site's settings, the one that names what was refused. */
  setting?: 'author' | 'language'
  /** The name that Galley was given for its user, where the site shows or hides such a user. */
  username?: string
}

export interface FailureDefinition {
  fault: AtFault
  action: Action
  /** `none`: before anything was changed. `unknown`: a write may have been done, and is `ambiguous`. */
  effect: 'none' | 'unknown'
  happened: (facts: FailureFacts) => string
  /** What the person who can mend it does next. */
  todo: string
  /** Whether connecting the site again mends it, or may: as another user, or with a new password. */
  reconnect?: true
}

/** What the request is about: WordPress uses one code for several things. */
export type RequestSubject = 'post' | 'media' | 'term' | 'user' | 'site'

export interface FailureContext {
  site: string
  method: string
  doing: string
  subject: RequestSubject
  data?: unknown
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}
