import { withoutSlash } from '../../../text.ts'
import { type KindOfProvider, kinds, offline } from '../kinds.ts'
import { AI, type AiVariables, aiMistakes } from './ai.ts'
import type { ConfiguredProvider, ProviderSettings } from './configured.ts'
import { fileOf, keyMistakes, keyOf, nameMistakes } from './file.ts'
import type { Mistake } from './mistake.ts'
import type { ProviderInFile } from './schema.ts'
import { stepsOf } from './steps.ts'

/** The settings of the environment that speak of providers. */
export interface ProviderVariables extends AiVariables {
  /** Path of the file. */
  GALLEY_PROVIDERS?: string | undefined
}

/**
 * What the settings say of providers, with everything that is wrong with them at once.
 *
 * @param environment all of it: a provider's key may be in any variable
 */
export function readProviderSettings(
  variables: ProviderVariables,
  environment: Record<string, string | undefined>,
): { settings: ProviderSettings; mistakes: Mistake[] } {
  const mistakes = aiMistakes(variables)
  const file = fileOf(variables.GALLEY_PROVIDERS, mistakes)
  const own = aiProvider(variables)
  const providers = [
    ...(own ? [own] : []),
    ...offline.map((kind) => configured({ name: kind, kind }, undefined)),
  ]
  // One that is named as another replaces it where that is one that needs no description.
  for (const [index, entry] of file.providers.entries()) {
    if (entry === undefined) {
      const named = file.names[index]
      if (named) keyMistakes(named, index, environment, mistakes)
      continue
    }
    const key = keyOf(entry, index, environment, mistakes)
    const standing = providers.findIndex(({ name }) => name === entry.name)
    if (standing === -1) providers.push(configured(entry, key))
    else if (offline.some((name) => name === entry.name && entry.kind === name))
      providers[standing] = configured(entry, key)
  }
  mistakes.push(...nameMistakes(file, own !== undefined))
  return { settings: { providers, steps: stepsOf(file, providers, mistakes) }, mistakes }
}

function aiProvider({
  GALLEY_AI_URL: url,
  GALLEY_AI_KEY: key,
  GALLEY_AI_MODEL: model,
}: ProviderVariables): ConfiguredProvider | undefined {
  if (url === undefined || model === undefined) return undefined
  return {
    ...configured({ name: AI, kind: 'openai', url, models: { [model]: {} } }, key),
    settings: { key: 'GALLEY_AI_KEY', url: 'GALLEY_AI_URL', model: 'GALLEY_AI_MODEL' },
  }
}

function configured(entry: ProviderInFile, key: string | undefined): ConfiguredProvider {
  const facts: KindOfProvider = kinds[entry.kind]
  const url = entry.url ?? (typeof facts.url === 'object' ? facts.url.usually : '')
  const inFile = (member: string) => `"${member}" of "${entry.name}" in the file of GALLEY_PROVIDERS`
  return {
    name: entry.name,
    kind: entry.kind,
    url: withoutSlash(url),
    key: key === undefined ? undefined : () => key,
    settings: {
      key: entry.key_from ?? inFile('key'),
      url: inFile('url'),
      model: '"steps" in the file of GALLEY_PROVIDERS',
    },
    models: entry.models ?? {},
    pages: entry.pages ?? [],
    concurrency: entry.concurrency,
    timeoutMs: entry.timeout_seconds === undefined ? undefined : entry.timeout_seconds * 1000,
  }
}
