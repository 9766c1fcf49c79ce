/** A line of a timeline, as the API has it. */
export interface Line {
  at: string
  step: string
  outcome: string
  detail?: string | undefined
}

export interface Attempt {
  /** Its number; undefined of what happened to the post in WordPress. */
  attempt: number | undefined
  lines: Line[]
}

/** Steps that no attempt has: what was seen of the post, and what was cleared away. */
const AFTERWARDS = ['follow', 'public', 'orphans']

/** Outcomes that end an attempt. */
const ENDS = ['will_retry', 'held', 'failed', 'delivered', 'withdrawn', 'cancelled', 'process_ended']

/** The lines by attempt, in their order. A plan is part of the attempt that it leads to. */
export function grouped(lines: readonly Line[]): Attempt[] {
  const groups: Attempt[] = []
  let attempts = 0
  for (const line of lines) {
    const last = groups.at(-1)
    const before = last?.lines.at(-1)
    const isAfter = AFTERWARDS.includes(line.step)
    const isSame = last !== undefined && (last.attempt === undefined) === isAfter
    const isHeldPlan = before?.step === 'plan' && before.outcome === 'held'
    const hasEnded = before !== undefined && ENDS.includes(before.outcome) && !isHeldPlan
    const isNew = hasEnded || (line.step === 'plan' && before?.step !== 'plan')
    if (isSame && (!isNew || line.outcome === 'cancelled')) last.lines.push(line)
    else groups.push({ attempt: isAfter ? undefined : ++attempts, lines: [line] })
  }
  return groups
}
