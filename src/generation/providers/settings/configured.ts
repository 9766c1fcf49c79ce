import type { Tier } from '../../../contract/generation/choices.ts'
import type { Kind, Task } from '../kinds.ts'
import type { ModelSettings } from './schema.ts'

/** A provider as the settings describe it, its key found. */
export interface ConfiguredProvider {
  name: string
  kind: Kind
  /** Without a slash at its end; empty for one that is in this process. */
  url: string
  /** Gives its key. A function, so that no log and no dump of the settings has it. */
  key: (() => string) | undefined
  /** Where its key, its address and its models are set, as sentences name it: `GALLEY_AI_KEY`. */
  settings: { key: string; url: string; model: string }
  models: Record<string, ModelSettings>
  /** Of a list of pages. */
  pages: string[]
  /** Calls that may be under way at once; undefined where nothing is said of it. */
  concurrency: number | undefined
  timeoutMs: number | undefined
}

/** Who is asked: a provider, and for what model of it; an empty text where it has none. */
export interface Reference {
  provider: string
  model: string
}

/** Who is asked for what, the preferred first. */
export type Steps = Record<Task, Record<Tier, Reference[]>>

/** What the settings say of providers. */
export interface ProviderSettings {
  providers: ConfiguredProvider[]
  steps: Steps
}
