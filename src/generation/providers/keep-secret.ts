import { echoesOf, isRevealing, withoutEchoes } from '../../echo.ts'
import { withoutSecrets } from '../../redact.ts'
import type { Access } from './access.ts'

const HIDDEN = '[redacted]'

/** Keys as the known providers make them, whole or shortened: a provider may repeat ours, and it may be another's. */
const KEYS = /\b(sk|pk|tvly|AIza|gsk|xai|BSA|hf|r8|fw)[-_][\w*.-]{8,}|\bAIza[\w*-]{20,}/g

/** What was answered, without the key that was sent, however it is spelled: some repeat it, and answers are kept. */
export function withoutKey(text: string, { key }: Pick<Access, 'key'>): string {
  const secret = key?.()
  if (secret === undefined) return text
  return withoutEchoes(
    text,
    echoesOf(secret).filter((echo) => echo === secret || isRevealing(echo)),
  )
}

/** What a provider says, as a sentence of ours may repeat it: nothing that is, or looks like, a key. */
export const withoutProviderSecrets = (text: string, access: Pick<Access, 'key'>): string =>
  withoutSecrets(withoutKey(text, access).replace(KEYS, HIDDEN))
