import type { DocumentRequest, JobKind, RequestByKind } from '../../src/contract/generation/requests.ts'
import type { Warning } from '../../src/errors.ts'
import { GenerationError } from '../../src/generation/failure.ts'
import type { PartName } from '../../src/generation/jobs/job.ts'
import type { JobRun } from '../../src/generation/jobs/job-run.ts'

/** What outlives an attempt of a job, by step and name. */
export type Kept = Map<string, unknown>

/** One attempt of a job whose parts are kept in memory; the next one gets the same `kept`. */
export function attempt<Kind extends JobKind>(
  kind: Kind,
  request: RequestByKind[Kind],
  kept: Kept = new Map(),
  accountId = 'account',
): JobRun<Kind> & { warnings: Warning[]; kept: Kept } {
  const warnings: Warning[] = []
  const { signal } = new AbortController()
  const part = async <Value>(
    { step, name }: PartName,
    make: (place: string) => Promise<Value>,
  ): Promise<Value> => {
    const place = `${step}/${name}`
    const value = (kept.get(place) as Value | undefined) ?? (await make(place))
    kept.set(place, value)
    return value
  }
  return {
    id: 'job',
    accountId,
    createdAt: new Date('2026-11-27T09:00:00Z'),
    kind,
    request,
    signal,
    mostCalls: 500,
    callsLeft: 500,
    warnings,
    kept,
    enter: async () => {},
    expect: async () => {},
    answer: (name, [first], call) =>
      part(name, async (idempotencyKey) => {
        if (first === undefined) throw new Error('nobody to ask')
        return call(first, { idempotencyKey, signal })
      }),
    keep: part,
    makeOrLeaveOut: leaveOutWith(kept, (warning) => void warnings.push(warning)),
    warn: (warning) => void warnings.push(warning),
  }
}

export const documentRequest: DocumentRequest = {
  prompt: 'How cities plant trees, and what the shade does',
  model: 'standard',
  content_type: 'article',
  keywords: ['shade', 'trees'],
  text: { length: 2000, formality: 'professional', voice: 'neutral', model: 'standard' },
  image: { enabled: true, model: 'standard' },
  research: { model: 'standard' },
  audio: { enabled: false, model: 'standard', voice: 'Kore', language: 'en-US', format: 'mp3', style: null },
  webhook_url: null,
  delivery: null,
}

/** Leaves out what fails for good, in the next attempt too. */
export const leaveOutWith =
  (kept: Kept, warn: (warning: Warning) => void): JobRun['makeOrLeaveOut'] =>
  async ({ step, name }, { code, what }, make) => {
    const place = `${step}/${name}-left-out`
    try {
      if (!kept.has(place)) return await make()
    } catch (error) {
      if (!(error instanceof GenerationError) || error.of !== 'job') throw error
      kept.set(place, error.message)
    }
    warn({ code, message: `${what} was left out. ${String(kept.get(place))}` })
    return undefined
  }
