import { redactSecret, redactSecrets } from '../../log/redact.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { ConfiguredProvider, ModelSettings } from './settings/schema.ts'

/** What an adapter is made of: one provider of the settings, and one model of it. */
export interface ProviderAccess extends Omit<ConfiguredProvider, 'models' | 'kind'> {
  model: string
  options: ModelSettings
  /** Reaches the provider, wherever the settings say that it is. For its own origin alone. */
  outbound: Outbound
  elsewhere: Outbound
}

export const providerLabel = ({ name, model }: Pick<ProviderAccess, 'name' | 'model'>): string =>
  model === '' ? name : `${name} (${model})`

/** What tells one provider of the settings from another. */
export type Named = Pick<ProviderAccess, 'name' | 'model' | 'concurrency'>

export const providerIdentity = ({ name, model, concurrency }: Named) => ({ name, model, concurrency })

/** Keys as the known providers make them, whole or shortened: a provider may repeat ours, and it may be another's. */
const PROVIDER_KEY_PATTERN = /\b(sk|pk|tvly|AIza|gsk|xai|BSA|hf|r8|fw)[-_][\w*.-]{8,}|\bAIza[\w*-]{20,}/g

/** Removes keys from what a provider says, for errors and logs. Never for content. */
export function redactProviderSecrets(text: string, { key }: Pick<ProviderAccess, 'key'>): string {
  const without = key === undefined ? text : redactSecret(text, key())
  return redactSecrets(without.replace(PROVIDER_KEY_PATTERN, '[redacted]'))
}

export const bearerHeader = ({ key }: Pick<ProviderAccess, 'key'>): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key()}` }
