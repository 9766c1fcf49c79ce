import { readFileSync } from 'node:fs'
import { capIssues, formatPath } from '../../../contract/issues.ts'
import {
  offlineProviders,
  type ProviderEntrySettings,
  type ProviderKindSpec,
  type ProviderTask,
  providerKey,
  providerKindNames,
  providerKinds,
  providersFileSchemas,
  providerTasks,
  type SettingIssue,
  type StepSettings,
  variableName,
} from './schema.ts'

/** A place in the file, as a mistake names it. */
export const settingPath = (path: readonly PropertyKey[]): string =>
  `GALLEY_PROVIDERS ${formatPath(path)}`.trimEnd()

/** What can be read of an entry, be it right or wrong. */
interface ProviderEntry {
  name: string
  kind: unknown
  key: unknown
  from: unknown
}

/** What the file says, as far as it can be read. */
export interface ProvidersFile {
  /** In its order; undefined for one that is wrong. */
  providers: (ProviderEntrySettings | undefined)[]
  /** The names that it has, of wrong ones too, in the same order. */
  names: ProviderEntry[]
  steps: Partial<Record<ProviderTask, StepSettings>>
}

/** Reads the file. What is wrong with it adds to `mistakes`. */
export function readProvidersFile(path: string | undefined, mistakes: SettingIssue[]): ProvidersFile {
  const raw = path === undefined ? undefined : parseJsonFile(path, mistakes)
  if (raw === undefined) return { providers: [], names: [], steps: {} }
  const { whole, provider, steps } = providersFileSchemas()
  for (const issue of capIssues(whole.safeParse(raw).error?.issues ?? []))
    mistakes.push({ path: settingPath(issue.path), message: issue.message })
  const outer = (raw ?? {}) as { providers?: unknown; steps?: Record<string, unknown> | null }
  const list: unknown[] = Array.isArray(outer.providers) ? outer.providers : []
  return {
    providers: list.map((entry) => provider.safeParse(entry).data),
    names: list.map(nameOf),
    steps: Object.fromEntries(
      providerTasks.map((task) => [task, steps[task].safeParse(outer.steps?.[task]).data]),
    ),
  }
}

function nameOf(entry: unknown): ProviderEntry {
  const { name, kind, key, key_from: from } = (entry ?? {}) as Record<string, unknown>
  return { name: typeof name === 'string' ? name : '', kind, key, from }
}

function parseJsonFile(path: string, mistakes: SettingIssue[]): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    mistakes.push({ path: settingPath([]), message: `names a file that cannot be read (${codeOf(error)})` })
    return undefined
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    mistakes.push({
      path: settingPath([]),
      message: `names a file that is not JSON${jsonErrorPosition(error, text)}`,
    })
    return undefined
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** Where the text stops being JSON. Of what the parser says only that: it repeats what stands there. */
function jsonErrorPosition(error: unknown, text: string): string {
  const position = / at position (\d+)/.exec(String(error))?.[1]
  if (position === undefined) return ''
  return `: see line ${text.slice(0, Number(position)).split('\n').length}`
}

/** What is wrong with the key of an entry that is wrong elsewhere too, so that nobody has to start twice to hear of it. */
export function keyIssues(
  { name, kind, key, from }: ProviderEntry,
  index: number,
  environment: Record<string, string | undefined>,
  mistakes: SettingIssue[],
): void {
  const known = providerKindNames.find((one) => one === kind)
  const isName = from === undefined || (typeof from === 'string' && variableName.test(from))
  if (known === undefined || !isName || (providerKinds[known] as ProviderKindSpec).key === 'none') return
  resolveKey(
    { name, kind: known, key: key === undefined ? undefined : String(key), key_from: from },
    index,
    environment,
    mistakes,
  )
}

/** The key of an entry, in it or in the environment. */
export function resolveKey(
  { kind, key, key_from: from }: ProviderEntrySettings,
  index: number,
  environment: Record<string, string | undefined>,
  mistakes: SettingIssue[],
): string | undefined {
  const wrong = (member: string, message: string) =>
    mistakes.push({ path: settingPath(['providers', index, member]), message })
  if (key !== undefined && from !== undefined) {
    wrong('key_from', 'cannot be set beside "key"')
    return key
  }
  const facts: ProviderKindSpec = providerKinds[kind]
  if (facts.key === 'needed' && key === undefined && from === undefined)
    wrong('key', 'is missing: set it, or "key_from" with the name of the environment variable that holds it')
  if (from === undefined) return key
  const held = environment[from]?.trim()
  if (!held) wrong('key_from', 'names an environment variable that is not set')
  else if (!providerKey.safeParse(held).success)
    wrong(
      'key_from',
      'names an environment variable that holds no key: a key is printable ASCII without spaces',
    )
  return held
}

/** Names that are there twice, or are taken. */
export function nameIssues({ names }: ProvidersFile, withAi: boolean): SettingIssue[] {
  return names.flatMap(({ name, kind }, index): SettingIssue[] => {
    const wrong = (message: string) => [{ path: settingPath(['providers', index, 'name']), message }]
    if (name === '') return []
    if (names.findIndex((other) => other.name === name) < index)
      return wrong('is the name of another provider')
    if (withAi && name === AI_PROVIDER) return wrong('is the name of the provider of GALLEY_AI_URL')
    return offlineProviders.some((own) => own === name && own !== kind)
      ? wrong('is the name of a provider that is always there')
      : []
  })
}

/** The three settings that suffice for text. */
export interface AiVariables {
  GALLEY_AI_URL?: string | undefined
  GALLEY_AI_KEY?: string | undefined
  GALLEY_AI_MODEL?: string | undefined
}

/** The name of the provider that `GALLEY_AI_URL` describes. */
export const AI_PROVIDER = 'ai'

/** What is missing of the three. */
export function aiSettingIssues({
  GALLEY_AI_URL: url,
  GALLEY_AI_KEY: key,
  GALLEY_AI_MODEL: model,
}: AiVariables) {
  const needs = (path: string, by: string): SettingIssue => ({ path, message: `is required with ${by}` })
  return [
    ...(url !== undefined && model === undefined ? [needs('GALLEY_AI_MODEL', 'GALLEY_AI_URL')] : []),
    ...(url === undefined && (key ?? model) !== undefined
      ? [needs('GALLEY_AI_URL', model === undefined ? 'GALLEY_AI_KEY' : 'GALLEY_AI_MODEL')]
      : []),
  ]
}
