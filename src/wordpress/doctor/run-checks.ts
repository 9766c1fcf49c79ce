import { excerpt } from '../../text.ts'
import type { WordPressClient } from '../client/index.ts'
import { worst } from './finding.ts'
import { checkPosting } from './posting-checks.ts'
import { checkPrerequisites } from './prerequisites.ts'
import type { DoctorReport, Finding, MarkupChoice } from './types.ts'

export interface CheckOptions {
  /** REST base of the type that documents become; default `posts`. */
  postType?: string
  /** The markup that is chosen for documents; default `auto`, which is blocks. */
  format?: MarkupChoice
  /** The user whom the site's settings name as the author; default null, for none. */
  authorId?: number | null
  /** Code of the language that documents are in; default null, for the site's own. */
  language?: string | null
  /** The time now, in milliseconds; for the clock check. */
  now?: () => number
}

/**
 * Checks a connected site: from the network upwards, and no further than its prerequisites are met. It
 * writes a draft and a few tiny files to see what gets through, and takes them away again.
 */
export async function runChecks(
  client: WordPressClient,
  {
    postType = 'posts',
    format = 'auto',
    authorId = null,
    language = null,
    now = Date.now,
  }: CheckOptions = {},
): Promise<DoctorReport> {
  const { findings: below, prerequisites, home } = await checkPrerequisites(client, now())
  const above = prerequisites
    ? await checkPosting(client, prerequisites, { postType, format, authorId, language })
    : { findings: [], abilities: null }
  const findings = [...below, ...above.findings].map(shortened)
  return {
    checkedAt: new Date(now()).toISOString(),
    level: worst(findings),
    findings,
    home,
    abilities: above.abilities,
  }
}

/** Characters of a sentence: a site may name hundreds of types or roles, and every list of sites repeats its report. */
const LONGEST = 5_000

const shortened = ({ seen, means, todo, ...finding }: Finding): Finding => ({
  ...finding,
  seen: excerpt(seen, LONGEST),
  means: excerpt(means, LONGEST),
  todo: todo === null ? null : excerpt(todo, LONGEST),
})
