import { redactSecrets } from '../../log/redact.ts'
import { isLongEnoughToRedact, redactVariants, secretVariants } from '../../log/secret-variants.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { ConfiguredProvider, ModelSettings } from './settings/schema.ts'

/** What an adapter is made of: one provider of the settings, and one model of it. */
export interface ProviderAccess extends Omit<ConfiguredProvider, 'models' | 'kind'> {
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
export const providerLabel = ({ name, model }: Pick<ProviderAccess, 'name' | 'model'>): string =>
  model === '' ? name : `${name} (${model})`

const REDACTED = '[redacted]'

/** Keys as the known providers make them, whole or shortened: a provider may repeat ours, and it may be another's. */
const PROVIDER_KEY_PATTERN = /\b(sk|pk|tvly|AIza|gsk|xai|BSA|hf|r8|fw)[-_][\w*.-]{8,}|\bAIza[\w*-]{20,}/g

/** What was answered, without the key that was sent, however it is spelled: some repeat it, and answers are kept. */
export function redactProviderKey(text: string, { key }: Pick<ProviderAccess, 'key'>): string {
  const secret = key?.()
  if (secret === undefined) return text
  return redactVariants(
    text,
    secretVariants(secret).filter((echo) => echo === secret || isLongEnoughToRedact(echo)),
  )
}

/** What a provider says, as a sentence of ours may repeat it: nothing that is, or looks like, a key. */
export const redactProviderSecrets = (text: string, access: Pick<ProviderAccess, 'key'>): string =>
  redactSecrets(redactProviderKey(text, access).replace(PROVIDER_KEY_PATTERN, REDACTED))

/** The header that carries the key, where there is one. */
export const bearerHeader = ({ key }: Pick<ProviderAccess, 'key'>): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key()}` }
