import type { Steps } from './jobs/context.ts'
import type { StepNeeds } from './pipeline/types.ts'

/** What makes each kind of job; loaded with the first of its kind, since few processes make all of them. */
export const jobSteps = (needs: StepNeeds): Steps => ({
  document: async (run) => (await import('./pipeline/document.ts')).makeDocument(run, needs),
  audio: async (run) => (await import('./pipeline/speech/index.ts')).makeAudio(run, needs),
  image: async (run) => (await import('./pipeline/pictures/index.ts')).makeImage(run, needs),
})
