import type { JobKind, RequestByKind } from '../../../src/contract/generation/requests.ts'
import type { Warning } from '../../../src/errors.ts'
import type { PartName } from '../../../src/generation/jobs/job.ts'
import type { JobRun } from '../../../src/generation/jobs/job-run.ts'
import type {
  RawAnswer,
  Speech,
  SpeechProvider,
  SpeechRequest,
} from '../../../src/generation/providers/types.ts'
import { decodePcm } from '../../../src/generation/providers/wav.ts'
import type { Storage } from '../../../src/generation/storage/storage.ts'
import { leaveOutWith } from '../attempt.ts'

/** What outlives an attempt of a job: answers and kept parts, by step and name. */
export type Kept = Map<string, unknown>

/** One attempt of a job whose parts are kept in memory; the next one gets the same `kept`. */
export function attempt<Kind extends JobKind>(
  kind: Kind,
  request: RequestByKind[Kind],
  kept: Kept = new Map(),
  callsLeft = 500,
): JobRun<Kind> & { warnings: Warning[]; steps: string[]; parts: Record<string, number> } {
  const place = ({ step, name }: PartName) => `${step}/${name}`
  const warnings: Warning[] = []
  const steps: string[] = []
  const parts: Record<string, number> = {}
  const { signal } = new AbortController()
  return {
    id: 'job',
    accountId: 'account',
    kind,
    request,
    signal,
    createdAt: new Date('2026-11-27T09:00:00Z'),
    mostCalls: callsLeft,
    callsLeft,
    warnings,
    steps,
    parts,
    enter: async (step) => void steps.push(step),
    expect: async (step, count) => {
      parts[step] = count
    },
    answer: async (part, candidates, call) => {
      const before = kept.get(place(part))
      if (before !== undefined) return before as RawAnswer
      let failure: unknown
      for (const candidate of candidates) {
        try {
          const answer = await call(candidate, { idempotencyKey: place(part), signal })
          kept.set(place(part), answer)
          return answer
        } catch (error) {
          failure = error
        }
      }
      throw failure
    },
    keep: async <Made>(part: PartName, make: () => Promise<Made>) => {
      const before = kept.get(place(part))
      if (before !== undefined) return before as Made
      const made = await make()
      kept.set(place(part), made)
      return made
    },
    makeOrLeaveOut: leaveOutWith(kept, (warning) => void warnings.push(warning)),
    warn: (warning) => void warnings.push(warning),
  }
}

/** Files in memory, by their tokens. */
export function memoryStorage(): Pick<Storage, 'keep'> & {
  files: { type: string; extension: string; bytes: Buffer }[]
} {
  const files: { type: string; extension: string; bytes: Buffer }[] = []
  return {
    files,
    keep: async ({ type, extension, body }) => {
      const parts: Buffer[] = []
      if (Buffer.isBuffer(body)) parts.push(body)
      else for await (const part of body) parts.push(part)
      const bytes = Buffer.concat(parts)
      const token = String(files.push({ type, extension, bytes }) - 1)
      return { token, url: `https://galley.example/files/${token}.${extension}` }
    },
  }
}

/** A tone, as a voice that never says anything: so many seconds of it. */
export function tone(seconds: number, sampleRate: number, hertz = 300): Speech {
  const samples = new Int16Array(Math.round(seconds * sampleRate))
  // It is the same in each second.
  for (let index = 0; index < Math.min(samples.length, sampleRate); index += 1)
    samples[index] = Math.round(12_000 * Math.cos((2 * Math.PI * hertz * index) / sampleRate))
  for (let at = sampleRate; at < samples.length; at += sampleRate) samples.copyWithin(at, 0, sampleRate)
  return { samples: Buffer.from(samples.buffer), sampleRate }
}

/** A provider of tones: ten milliseconds for each character, unless it is to be more. Its answers are bare samples. */
export function toneProvider({
  name = 'tones',
  sampleRate = 24_000,
  longestText = 200,
  exact = true,
  notice = null,
  perCharacter = 0.01,
  before = () => undefined,
}: {
  name?: string
  sampleRate?: number
  longestText?: number
  exact?: boolean
  notice?: string | null
  /** Seconds. */
  perCharacter?: number
  /** Called before it answers; may throw. */
  before?: (request: SpeechRequest) => void | Promise<void>
} = {}): SpeechProvider & { spoken: string[] } {
  const spoken: string[] = []
  return {
    name,
    model: 'tone-1',
    notice,
    longestText,
    spoken,
    voice: (voice) => ({ name: exact ? voice : 'hum', exact }),
    speak: async (request) => {
      await before(request)
      spoken.push(request.text)
      return {
        provider: name,
        model: 'tone-1',
        body: tone(request.text.length * perCharacter, sampleRate).samples,
      }
    },
    read: ({ body }) => decodePcm(body as Buffer, sampleRate),
  }
}
