import type { GalleyError } from '../../errors.ts'
import { failureTextOf } from '../failures/index.ts'
import type { CheckName, Finding, Level } from './types.ts'

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
export function fromFailure(
  check: CheckName,
  error: GalleyError,
  means: string,
  level: Level = 'problem',
): Finding {
  const { happened, todo } = failureTextOf(error)
  return { check, level, seen: happened, means, todo }
}

const SEVERITY: Record<Level, number> = { ok: 0, warning: 1, problem: 2 }

export const isWorse = (a: Level, b: Level): boolean => SEVERITY[a] > SEVERITY[b]

export const worst = (findings: Finding[]): Level =>
  findings.reduce<Level>((level, finding) => (isWorse(finding.level, level) ? finding.level : level), 'ok')
