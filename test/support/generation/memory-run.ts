import type { DocumentRequest } from '../../../src/contract/generation/requests.ts'
import type { Warning } from '../../../src/errors.ts'
import type { JobRun } from '../../../src/generation/jobs/job.ts'
import type { RawAnswer } from '../../../src/generation/providers/types.ts'

/** A run that keeps its parts in memory, and what the job's status would have said. */
export interface MemoryRun extends JobRun<'document'> {
  readonly steps: string[]
  readonly warnings: Warning[]
  /** The parts that were asked of a provider, in order; what came out of the store is not among them. */
  readonly asked: string[]
  readonly parts: Map<string, RawAnswer | string | Buffer>
}

/** @param parts what an earlier attempt left */
export function memoryRun(request: DocumentRequest, parts: MemoryRun['parts'] = new Map()): MemoryRun {
  const steps: string[] = []
  const warnings: Warning[] = []
  const asked: string[] = []
  const { signal } = new AbortController()
  return {
    id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
    accountId: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
    kind: 'document',
    request,
    mostCalls: 500,
    callsLeft: 500,
    signal,
    steps,
    warnings,
    asked,
    parts,
    enter: async (step) => {
      if (steps.at(-1) !== step) steps.push(step)
    },
    expect: async () => {},
    answer: async ({ step, name }, [provider], call) => {
      const key = `${step}/${name}`
      const stored = parts.get(key)
      if (stored !== undefined) return stored as RawAnswer
      if (provider === undefined) throw new Error('nobody to ask')
      asked.push(name)
      const answer = await call(provider, { idempotencyKey: key, signal })
      parts.set(key, answer)
      return answer
    },
    keep: async ({ step, name }, make) => {
      const key = `${step}/${name}`
      const stored = parts.get(key) ?? (await make())
      parts.set(key, stored)
      return stored as string | Buffer
    },
    warn: ({ code, message }) => {
      if (!warnings.some((one) => one.code === code && one.message === message))
        warnings.push({ code, message })
    },
  }
}
