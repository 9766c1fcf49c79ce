import { type Tier, tiers } from '../../../contract/generation/requests.ts'
import { withoutTrailingSlash } from '../../../lib/text.ts'
import {
  AI_PROVIDER,
  type AiVariables,
  aiSettingIssues,
  keyIssues,
  nameIssues,
  type ProvidersFile,
  readProvidersFile,
  resolveKey,
  settingPath,
} from './file.ts'
import {
  type ConfiguredProvider,
  type ModelReference,
  offlineProviders,
  type ProviderEntrySettings,
  type ProviderKindSpec,
  type ProviderSettings,
  type ProviderTask,
  providerKinds,
  providerTasks,
  type SettingIssue,
  type StepProviders,
} from './schema.ts'

interface ProviderVariables extends AiVariables {
  GALLEY_PROVIDERS?: string | undefined
}

/**
 * Reads the provider settings and reports all mistakes at once.
 *
 * @param environment all of it: any variable may hold a key
 */
export function readProviderSettings(
  variables: ProviderVariables,
  environment: Record<string, string | undefined>,
): { settings: ProviderSettings; mistakes: SettingIssue[] } {
  const mistakes = aiSettingIssues(variables)
  const file = readProvidersFile(variables.GALLEY_PROVIDERS, mistakes)
  const own = aiProvider(variables)
  const providers = [
    ...(own ? [own] : []),
    ...offlineProviders.map((kind) => configureProvider({ name: kind, kind }, undefined)),
  ]
  // One that is named as another replaces it where that is one that needs no description.
  for (const [index, entry] of file.providers.entries()) {
    if (entry === undefined) {
      const named = file.names[index]
      if (named) keyIssues(named, index, environment, mistakes)
      continue
    }
    const key = resolveKey(entry, index, environment, mistakes)
    const standing = providers.findIndex(({ name }) => name === entry.name)
    if (standing === -1) providers.push(configureProvider(entry, key))
    else if (offlineProviders.some((name) => name === entry.name && entry.kind === name))
      providers[standing] = configureProvider(entry, key)
  }
  mistakes.push(...nameIssues(file, own !== undefined))
  return { settings: { providers, steps: resolveSteps(file, providers, mistakes) }, mistakes }
}

function aiProvider({
  GALLEY_AI_URL: url,
  GALLEY_AI_KEY: key,
  GALLEY_AI_MODEL: model,
}: ProviderVariables): ConfiguredProvider | undefined {
  if (url === undefined || model === undefined) return undefined
  return {
    ...configureProvider({ name: AI_PROVIDER, kind: 'openai', url, models: { [model]: {} } }, key),
    settings: { key: 'GALLEY_AI_KEY', url: 'GALLEY_AI_URL', model: 'GALLEY_AI_MODEL' },
  }
}

function configureProvider(entry: ProviderEntrySettings, key: string | undefined): ConfiguredProvider {
  const facts: ProviderKindSpec = providerKinds[entry.kind]
  const url = entry.url ?? (typeof facts.url === 'object' ? facts.url.usually : '')
  const inFile = (member: string) => `"${member}" of "${entry.name}" in the file of GALLEY_PROVIDERS`
  return {
    name: entry.name,
    kind: entry.kind,
    url: withoutTrailingSlash(url),
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

/** Who is asked where the settings say nothing: what this process can do by itself. */
const defaultSteps: Partial<Record<ProviderTask, string[]>> = { image: ['cards'], audio: ['espeak'] }

/** Who is asked for what. A list that is wrong adds to `mistakes`. */
function resolveSteps(
  { steps: written, names }: ProvidersFile,
  providers: ConfiguredProvider[],
  mistakes: SettingIssue[],
): StepProviders {
  const text = providers.some(({ name }) => name === AI_PROVIDER) ? [AI_PROVIDER] : []
  const known = new Map(providers.map((provider) => [provider.name, provider]))
  const inFile = new Set(names.map(({ name }) => name))
  const listFor = (task: ProviderTask, tier: Tier): ModelReference[] => {
    const given = written[task] ?? (task === 'research' ? written.text : undefined)
    const from = Array.isArray(given) || given?.[tier] !== undefined ? tier : 'standard'
    const list = Array.isArray(given) ? given : given?.[from]
    const wanted = list ?? defaultSteps[task] ?? (task === 'search' ? [] : text)
    return wanted.flatMap((name, index) => {
      const reference = resolveReference(name, task, known)
      if (typeof reference !== 'string') return [reference]
      const [provider = ''] = name.split('/')
      // Its own mistakes are told.
      const isTold = inFile.has(provider) && !known.has(provider)
      const path = ['steps', task, ...(Array.isArray(given) ? [] : [from]), index]
      const mistake = { path: settingPath(path), message: reference }
      if (written[task] !== undefined && !isTold && !mistakes.some((other) => other.path === mistake.path))
        mistakes.push(mistake)
      return []
    })
  }
  return Object.fromEntries(
    providerTasks.map((task) => [task, Object.fromEntries(tiers.map((tier) => [tier, listFor(task, tier)]))]),
  ) as StepProviders
}

/** Whom `name` or `name/model` means; or why nobody, as part of a sentence. */
function resolveReference(
  text: string,
  task: ProviderTask,
  providers: ReadonlyMap<string, ConfiguredProvider>,
): ModelReference | string {
  const slash = text.indexOf('/')
  const name = slash === -1 ? text : text.slice(0, slash)
  const provider = providers.get(name)
  if (!provider) return `names an unknown provider; there are ${[...providers.keys()].join(', ')}`
  const { does, models }: ProviderKindSpec = providerKinds[provider.kind]
  if (!does.includes(task))
    return `names a provider of the kind ${provider.kind}, which can be used for ${does.join(', ')}`
  if (!models)
    return slash === -1
      ? { provider: name, model: '' }
      : `names a model of a provider that has none: write ${name}`
  if (slash !== -1) return { provider: name, model: text.slice(slash + 1) }
  const [only, ...more] = Object.keys(provider.models)
  return only !== undefined && more.length === 0
    ? { provider: name, model: only }
    : `names no model: write ${name}/ and the name of the model`
}
