import { seed } from './options.ts'
import type { Verdict } from './oracle.ts'

/** Prints what a fault test did, so that a run can be read and repeated. */
export function report(name: string, verdict: Verdict, counts: Record<string, number> = {}): void {
  const { lost, doubled, unfinished, holds, ...numbers } = verdict
  const all = {
    ...numbers,
    ...counts,
    lost: lost.length,
    doubled: doubled.length,
    unfinished: unfinished.length,
  }
  const line = Object.entries(all)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')
  console.log(`${name} (seed ${seed}): ${line}`)
  for (const problem of [...lost, ...doubled, ...unfinished, ...holds]) console.log(`  ${problem}`)
}

/** What the oracle must find wrong: nothing. */
export const nothingWrong = { lost: [], doubled: [], unfinished: [] }
