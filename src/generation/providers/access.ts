import type { Outbound } from '../../outbound/index.ts'
import type { ConfiguredProvider } from './settings/configured.ts'
import type { ModelSettings } from './settings/schema.ts'

/** What an adapter is made of: one provider of the settings, and one model of it. */
export interface Access extends Omit<ConfiguredProvider, 'models' | 'kind'> {
  /** Empty for a provider that has none. */
  model: string
  /** What the settings say of this model. */
  options: ModelSettings
  /** Reaches the provider, wherever the settings say that it is. For its own origin alone. */
  outbound: Outbound
  /** For addresses that an answer names. */
  elsewhere: Outbound
}

/** How a sentence names the one who is asked: `openai (gpt-x)`. */
export const called = ({ name, model }: Pick<Access, 'name' | 'model'>): string =>
  model === '' ? name : `${name} (${model})`
