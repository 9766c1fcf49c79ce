import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Tier } from '../../../contract/generation/requests.ts'
import { capIssues, formatPath } from '../../../contract/issues.ts'
import { withoutTrailingSlash } from '../../../lib/text.ts'
import {
  type ConfiguredProvider,
  type ModelReference,
  offlineProviders,
  type ProviderEntrySettings,
  type ProviderKindSpec,
  type ProviderSettings,
  type ProviderTask,
  providerKinds,
  providersFileSchemas,
  providerTasks,
  type SettingIssue,
  type StepLists,
  type StepProviders,
} from './schema.ts'

interface AiVariables {
  GALLEY_AI_URL?: string | undefined
  GALLEY_AI_KEY?: string | undefined
  GALLEY_AI_MODEL?: string | undefined
}

/** Reads the settings and reports all mistakes at once. @param environment any variable may hold a key */
export function readProviderSettings(
  variables: AiVariables & { GALLEY_PROVIDERS?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): { settings: ProviderSettings; mistakes: SettingIssue[] } {
  const mistakes = aiSettingIssues(variables)
  const own = aiProvider(variables)
  const file = readProvidersFile(variables.GALLEY_PROVIDERS, environment, mistakes)
  mistakes.push(...nameIssues(file.named, own !== undefined))
  const configured = [
    ...(own ? [own] : []),
    ...offlineProviders.map((kind) => configureProvider({ name: kind, kind }, undefined)),
    ...file.providers.map((entry) =>
      configureProvider(entry, entry.key ?? environment[entry.key_from ?? '']?.trim()),
    ),
  ]
  const providers = new Map(configured.map((provider) => [provider.name, provider]))
  const steps = resolveSteps(file, providers, mistakes)
  return { settings: { providers: [...providers.values()], steps }, mistakes }
}

function aiProvider({ GALLEY_AI_URL: url, GALLEY_AI_KEY: key, GALLEY_AI_MODEL: model }: AiVariables) {
  if (url === undefined || model === undefined) return undefined
  return {
    ...configureProvider({ name: AI_PROVIDER, kind: 'openai', url, models: { [model]: {} } }, key),
    settings: { key: 'GALLEY_AI_KEY', url: 'GALLEY_AI_URL', model: 'GALLEY_AI_MODEL' },
  }
}

function configureProvider(entry: ProviderEntrySettings, key: string | undefined): ConfiguredProvider {
  const { name, kind, url = '', models = {}, pages = [], concurrency, timeout_seconds: seconds } = entry
  const inFile = (member: string) => `"${member}" of "${name}" in the file of GALLEY_PROVIDERS`
  return {
    ...{ name, kind, models, pages, concurrency },
    url: withoutTrailingSlash(url),
    key: key === undefined ? undefined : () => key,
    settings: {
      key: entry.key_from ?? inFile('key'),
      url: inFile('url'),
      model: '"steps" in the file of GALLEY_PROVIDERS',
    },
    timeoutMs: seconds && seconds * 1000,
  }
}

const defaultSteps: Partial<StepLists> = { search: [], image: ['cards'], audio: ['espeak'] }

/** Who is asked for what. A list that is wrong adds to `mistakes`. */
function resolveSteps(
  { steps: written, named }: ProvidersFile,
  providers: ReadonlyMap<string, ConfiguredProvider>,
  mistakes: SettingIssue[],
): StepProviders {
  const text = written.text ?? (providers.has(AI_PROVIDER) ? [AI_PROVIDER] : [])
  const resolved = (names: string[], task: ProviderTask, tier: Tier[]): ModelReference[] =>
    names.flatMap((name, index) => {
      const reference = resolveReference(name, task, providers)
      if (typeof reference !== 'string') return [reference]
      const [provider = ''] = name.split('/')
      // An entry that is wrong has told its own mistakes.
      const isTold = named.includes(provider) && !providers.has(provider)
      if (written[task] !== undefined && !isTold)
        mistakes.push({ path: settingPath(['steps', task, ...tier, index]), message: reference })
      return []
    })
  const ofTask = (task: ProviderTask): StepProviders[ProviderTask] => {
    const lists = written[task] ?? defaultSteps[task] ?? text
    if (Array.isArray(lists)) {
      const all = resolved(lists, task, [])
      return { basic: all, standard: all, advanced: all }
    }
    const standard = resolved(lists.standard, task, ['standard'])
    const ofTier = (tier: Tier) => (lists[tier] ? resolved(lists[tier], task, [tier]) : standard)
    return { basic: ofTier('basic'), standard, advanced: ofTier('advanced') }
  }
  return Object.fromEntries(providerTasks.map((task) => [task, ofTask(task)])) as StepProviders
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

const settingPath = (path: readonly PropertyKey[]): string => `GALLEY_PROVIDERS ${formatPath(path)}`.trimEnd()

interface ProvidersFile {
  /** The entries that are right, but perhaps for their keys. */
  providers: ProviderEntrySettings[]
  /** The name of each entry, right or wrong; empty where it has none. */
  named: string[]
  steps: Partial<StepLists>
}

/** A file, right or wrong, so that its parts can be read apart. */
const looseFile = z.object({
  providers: z.array(z.unknown()).catch([]),
  steps: z.record(z.string(), z.unknown()).catch({}),
})
const looseEntry = z.object({ name: z.string() })

function readProvidersFile(
  path: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  mistakes: SettingIssue[],
): ProvidersFile {
  const raw = path === undefined ? undefined : parseJsonFile(path, mistakes)
  if (raw === undefined) return { providers: [], named: [], steps: {} }
  const { whole, provider, steps } = providersFileSchemas(environment)
  for (const issue of capIssues(whole.safeParse(raw).error?.issues ?? []))
    mistakes.push({ path: settingPath(issue.path), message: issue.message })
  const { data } = looseFile.safeParse(raw)
  const list = data?.providers ?? []
  return {
    providers: list.flatMap((entry) => provider.safeParse(entry).data ?? []),
    named: list.map((entry) => looseEntry.safeParse(entry).data?.name ?? ''),
    steps: Object.fromEntries(
      providerTasks.map((task) => [task, steps[task].safeParse(data?.steps[task]).data]),
    ),
  }
}

function parseJsonFile(path: string, mistakes: SettingIssue[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    // What the parser says repeats what stands there, which may be a key.
    const { code } = error as NodeJS.ErrnoException
    const message = code === undefined ? 'that is not JSON' : `that cannot be read (${code})`
    mistakes.push({ path: settingPath([]), message: `names a file ${message}` })
    return undefined
  }
}

function nameIssues(named: readonly string[], withAi: boolean): SettingIssue[] {
  return named.flatMap((name, index) => {
    const isRepeated = named.indexOf(name) < index
    if (name === '' || !(isRepeated || (withAi && name === AI_PROVIDER))) return []
    const whose = isRepeated ? 'another provider' : 'the provider of GALLEY_AI_URL'
    return [{ path: settingPath(['providers', index, 'name']), message: `is the name of ${whose}` }]
  })
}

const AI_PROVIDER = 'ai'

function aiSettingIssues({ GALLEY_AI_URL: url, GALLEY_AI_KEY: key, GALLEY_AI_MODEL: model }: AiVariables) {
  const needs = (path: string, by: string): SettingIssue => ({ path, message: `is required with ${by}` })
  return [
    ...(url !== undefined && model === undefined ? [needs('GALLEY_AI_MODEL', 'GALLEY_AI_URL')] : []),
    ...(url === undefined && (key ?? model) !== undefined
      ? [needs('GALLEY_AI_URL', model === undefined ? 'GALLEY_AI_KEY' : 'GALLEY_AI_MODEL')]
      : []),
  ]
}
