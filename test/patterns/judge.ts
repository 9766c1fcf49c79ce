import { check } from 'recheck'
import { growth, NOT_LINEAR } from '../support/growth.ts'
import type { Pattern } from './find-patterns.ts'

/**
 * What is wrong with a pattern; undefined for one whose time grows with the text alone, also where it is looked for from
 * every place of it. `recheck` proves it by automata; a pattern with a look-ahead, for which it only tries attacks, is
 * timed here too on every short text of its own characters.
 */
export async function complaint({ source, flags }: Pattern): Promise<string | undefined> {
  const verdict = await check(source, flags, { timeout: null, attackTimeout: null, incubationTimeout: null })
  if (verdict.status === 'unknown') return `cannot be judged: ${verdict.error.kind}`
  if (verdict.status === 'vulnerable') return `${verdict.complexity.summary}, on ${verdict.attack.pattern}`
  if (verdict.checker === 'automaton') return undefined
  if (/\(\?<[=!]/.test(source)) return 'looks behind: nothing here proves such a pattern linear'
  const slow = pumpsOf(source).find((pump) => isSlow(source, flags, pump))
  return slow && `not linear on ${JSON.stringify(slow)} many times`
}

const isSlow = (source: string, flags: string, pump: string): boolean => {
  const pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
  return (
    growth(
      (text: string) => text.replace(pattern, ''),
      (size) => pump.repeat(size),
      250,
    ) > NOT_LINEAR
  )
}

/** Every text of one or two of the characters that a pattern may mean, and of some that it may not. */
function pumpsOf(source: string): string[] {
  const characters = [...new Set(`a0 \n-${source.replace(/\\[a-zA-Z]|[(){}+*?^$|\\]/g, '')}`)]
  return characters.flatMap((one) => [
    one,
    ...characters.filter((two) => two !== one).map((two) => one + two),
  ])
}
