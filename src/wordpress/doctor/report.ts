import type { GalleyError } from '../../errors.ts'
import { failureTextOf } from '../failures/index.ts'
import type { PostType } from '../schema.ts'
import type { CurrentUser } from '../types.ts'

type Level = 'ok' | 'warning' | 'problem'

/** The lines of a report, in the order in which they are found out. */
export type CheckName =
  | 'connection'
  | 'redirects'
  | 'encryption'
  | 'rest_api'
  | 'address'
  | 'clock'
  | 'version'
  | 'credentials'
  | 'post_type'
  | 'terms'
  | 'seo'
  | 'required_fields'
  | 'byline'
  | 'language'
  | 'editor'
  | 'right_to_publish'
  | 'right_to_create_categories'
  | 'right_to_create_tags'
  | 'own_answers'
  | 'slugs'
  | 'titles'
  | 'statuses'
  | 'block_markup'
  | 'batch'
  | 'right_to_upload'
  | 'media_types'
  | 'same_files'
  | 'file_slugs'
  | 'media_library'
  | 'upload_limit'
  | 'cleanup'

/** One line: for the owner of the site, who may know nothing of HTTP. */
export interface Finding {
  check: CheckName
  level: Level
  /** What was observed. */
  seen: string
  /** What this means for deliveries. */
  means: string
  /** What to do about it; `null` where there is nothing to do. */
  todo: string | null
}

/** The markup that a site's settings choose for documents; `auto` is blocks until somebody chooses. */
export type MarkupChoice = 'auto' | 'block' | 'classic'

/** What the connected user can do on the site; settings are validated against it. */
export interface SiteAbilities {
  user: CurrentUser
  postTypes: PostType[]
  publish: boolean
  upload: boolean
  createCategories: boolean
  createTags: boolean
  editor: 'block' | 'classic'
  /** Where a description for search engines can go: a key of `meta`. */
  seoField: string | null
  /** Fields of Advanced Custom Fields that an editor must fill in. */
  requiredFields: string[]
  /** Bytes that an upload was seen to get through; `null` where that could not be tried. */
  uploadBytes: number | null
  /** `null` where the site hides it. */
  wordpressVersion: string | null
}

export interface DoctorReport {
  /** ISO 8601, UTC. */
  checkedAt: string
  /** The worst of the findings. */
  level: Level
  findings: Finding[]
  /** What the site calls itself, whatever its host; `null` where it does not say. */
  home: string | null
  /** `null` where the check did not get past the credentials. */
  abilities: SiteAbilities | null
}

export const ok = (check: CheckName, seen: string, means: string): Finding => ({
  check,
  level: 'ok',
  seen,
  means,
  todo: null,
})

export const warning = (check: CheckName, seen: string, means: string, todo: string): Finding => ({
  check,
  level: 'warning',
  seen,
  means,
  todo,
})

export const problem = (check: CheckName, seen: string, means: string, todo: string): Finding => ({
  check,
  level: 'problem',
  seen,
  means,
  todo,
})

/** A failure as a line: what happened and what to do come from its catalogue. */
export function findingFromFailure(
  check: CheckName,
  error: GalleyError,
  means: string,
  level: Level = 'problem',
): Finding {
  const { happened, todo } = failureTextOf(error)
  return { check, level, seen: happened, means, todo }
}

const SEVERITY: Record<Level, number> = { ok: 0, warning: 1, problem: 2 }

const isWorse = (a: Level, b: Level): boolean => SEVERITY[a] > SEVERITY[b]

export const worstLevel = (findings: Finding[]): Level =>
  findings.reduce<Level>((level, finding) => (isWorse(finding.level, level) ? finding.level : level), 'ok')

/** The lines that got worse since an earlier report: a capability that went away is news. */
export function findRegressions(before: DoctorReport, after: DoctorReport): Finding[] {
  return after.findings.filter((finding) => {
    const earlier = before.findings.find(({ check }) => check === finding.check)
    return isWorse(finding.level, earlier?.level ?? 'ok')
  })
}
