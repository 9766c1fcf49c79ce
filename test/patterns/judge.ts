import { check } from 'recheck'
import { growth, NOT_LINEAR } from '../support/growth.ts'
import { samples } from '../support/random.ts'
import type { Pattern } from './find-patterns.ts'

/** Characters of the small text; the large one is sixteen times as long. */
const SIZE = 250

/** Milliseconds of the search for attacks on one pattern of the source. */
const SEARCH = samples(2_000)

/** Milliseconds of a proof. It takes a few, and may wait long for the processor; some take for ever, and are searched. */
const PROOF = samples(2_000)

/**
 * What is wrong with a pattern; undefined for one whose time grows with the text alone, also where it is looked for from
 * every place of it. `recheck` proves either by automata. Where it cannot (a look-ahead, a long counted repetition) it
 * searches for attacks: what it finds is timed, and so is every short text of the pattern's own characters.
 * @param timeout milliseconds of the search
 */
export async function complaint({ source, flags }: Pattern, timeout = SEARCH): Promise<string | undefined> {
  if (/\(\?<[=!]/.test(source)) return 'looks behind: nothing here proves such a pattern linear'
  const proof = await check(source, flags, { checker: 'automaton', timeout: PROOF })
  if (proof.status === 'safe') return undefined
  if (proof.status === 'vulnerable') return `${proof.complexity.summary}, on ${proof.attack.pattern}`
  const verdict = await check(source, flags, { checker: 'fuzz', timeout })
  if (verdict.status === 'vulnerable' && isSlow(source, flags, repeated(verdict.attack)))
    return `${verdict.complexity.summary}, on ${verdict.attack.pattern}`
  const slow = pumpsOf(source).find((pump) => isSlow(source, flags, (size) => pump.repeat(size)))
  return slow && `not linear on ${JSON.stringify(slow)} many times`
}

const isSlow = (source: string, flags: string, make: (size: number) => string): boolean => {
  const pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`)
  return growth((text: string) => text.replace(pattern, ''), make, SIZE) > NOT_LINEAR
}

/** The attack, as long as is wanted. */
const repeated =
  ({ pumps, suffix }: { pumps: { prefix: string; pump: string }[]; suffix: string }) =>
  (size: number): string =>
    pumps.map(({ prefix, pump }) => prefix + pump.repeat(size)).join('') + suffix

/** Every text of one or two of the characters that a pattern may mean, and of some that it may not. */
function pumpsOf(source: string): string[] {
  const characters = [...new Set(`a0 \n-${source.replace(/\\[a-zA-Z]|[(){}+*?^$|\\]/g, '')}`)]
  return characters.flatMap((one) => [
    one,
    ...characters.filter((two) => two !== one).map((two) => one + two),
  ])
}
