import type { GalleyError } from '../../errors.ts'
import { failureTextOf } from '../failures/classify.ts'

type Level = 'ok' | 'warning' | 'problem'

/** The lines of a report, in the order in which they are found out. */
const CHECKS = [
  'connection',
  'redirects',
  'encryption',
  'rest_api',
  'address',
  'clock',
  'version',
  'credentials',
  'post_type',
  'terms',
  'seo',
  'required_fields',
  'byline',
  'language',
  'editor',
  'right_to_publish',
  'right_to_create_categories',
  'right_to_create_tags',
  'own_answers',
  'slugs',
  'titles',
  'statuses',
  'block_markup',
  'batch',
  'right_to_upload',
  'media_types',
  'same_files',
  'file_slugs',
  'media_library',
  'upload_limit',
  'cleanup',
] as const

export type CheckName = (typeof CHECKS)[number]

/** One line: for the owner of the site, who may know nothing of HTTP. */
export interface Finding {
  check: CheckName
  level: Level
  seen: string
  means: string
  /** What to do about it; `null` where there is nothing to do. */
  todo: string | null
}

/** The markup that a site's settings choose for documents; `auto` is blocks until somebody chooses. */
export type MarkupChoice = 'auto' | 'block' | 'classic'

/** What deliveries go by of what was seen. */
export interface SiteAbilities {
  /** Where a description for search engines can go: a key of `meta`. */
  seoField: string | null
  requiredFields: string[]
  /** Where the site hides it, the newest that it can be; `null` for any. */
  wordpressVersion: string | null
}

export interface DoctorReport {
  /** ISO 8601, UTC. */
  checkedAt: string
  level: Level
  findings: Finding[]
  /** What the site calls itself, whatever its host; `null` where it does not say. */
  home: string | null
  /** Where its WordPress lies, as `https://example.com/wp`; `null` where it does not say. */
  installedAt: string | null
  /** `null` where the check did not get past the credentials. */
  abilities: SiteAbilities | null
}

function linesOf(check: CheckName) {
  const at =
    (level: Level) =>
    (seen: string, means: string, todo: string): Finding => ({ check, level, seen, means, todo })
  /** A failure as a line: what happened and what to do come from its catalogue. */
  const failed = (error: GalleyError, means: string, level: Level = 'problem'): Finding => {
    const { happened, todo } = failureTextOf(error)
    return { check, level, seen: happened, means, todo }
  }
  return {
    ok: (seen: string, means: string): Finding => ({ check, level: 'ok', seen, means, todo: null }),
    warning: at('warning'),
    problem: at('problem'),
    failed,
    /** A refusal, and what to do where it is a plugin's; trouble of the site keeps the advice of its catalogue. */
    refused: (error: GalleyError, means: string, todo: string): Finding => ({
      ...failed(error, means, 'warning'),
      ...(error.fault === 'owner' && { todo }),
    }),
  }
}

/** Lines by their check: `line.slugs.ok(…)`. */
export const line = Object.fromEntries(CHECKS.map((check) => [check, linesOf(check)])) as Record<
  CheckName,
  ReturnType<typeof linesOf>
>

const SEVERITY: Record<Level, number> = { ok: 0, warning: 1, problem: 2 }

const isWorse = (a: Level, b: Level): boolean => SEVERITY[a] > SEVERITY[b]

export const worstLevel = (findings: Finding[]): Level =>
  findings.reduce<Level>((level, finding) => (isWorse(finding.level, level) ? finding.level : level), 'ok')

export type KnownLevel = Pick<Finding, 'check' | 'level'>

/** The lines that got worse: a capability that went away is news. @param before as they were last seen */
export function findRegressions(before: readonly KnownLevel[], after: readonly Finding[]): Finding[] {
  return after.filter((finding) => {
    const earlier = before.find(({ check }) => check === finding.check)
    return isWorse(finding.level, earlier?.level ?? 'ok')
  })
}
