import { readFileSync } from 'node:fs'
import { fewest, pathOf } from '../../../contract/issues.ts'
import { type KindOfProvider, kindNames, kinds, offline, type Task, tasks } from '../kinds.ts'
import { AI } from './ai.ts'
import type { Mistake } from './mistake.ts'
import { fileSchemas, type InSteps, type ProviderInFile, providerKey, variableName } from './schema.ts'

/** A place in the file, as a mistake names it. */
export const at = (path: readonly PropertyKey[]): string => `GALLEY_PROVIDERS ${pathOf(path)}`.trimEnd()

/** What can be read of an entry, be it right or wrong. */
interface Named {
  name: string
  kind: unknown
  key: unknown
  from: unknown
}

/** What the file says, as far as it can be read. */
export interface ProvidersFile {
  /** In its order; undefined for one that is wrong. */
  providers: (ProviderInFile | undefined)[]
  /** The names that it has, of wrong ones too, in the same order. */
  names: Named[]
  steps: Partial<Record<Task, InSteps>>
}

/** Reads the file. What is wrong with it adds to `mistakes`. */
export function fileOf(path: string | undefined, mistakes: Mistake[]): ProvidersFile {
  const raw = path === undefined ? undefined : jsonOf(path, mistakes)
  if (raw === undefined) return { providers: [], names: [], steps: {} }
  const { whole, provider, steps } = fileSchemas()
  for (const issue of fewest(whole.safeParse(raw).error?.issues ?? []))
    mistakes.push({ path: at(issue.path), message: issue.message })
  const outer = (raw ?? {}) as { providers?: unknown; steps?: Record<string, unknown> | null }
  const list: unknown[] = Array.isArray(outer.providers) ? outer.providers : []
  return {
    providers: list.map((entry) => provider.safeParse(entry).data),
    names: list.map(nameOf),
    steps: Object.fromEntries(tasks.map((task) => [task, steps[task].safeParse(outer.steps?.[task]).data])),
  }
}

function nameOf(entry: unknown): Named {
  const { name, kind, key, key_from: from } = (entry ?? {}) as Record<string, unknown>
  return { name: typeof name === 'string' ? name : '', kind, key, from }
}

function jsonOf(path: string, mistakes: Mistake[]): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    mistakes.push({ path: at([]), message: `names a file that cannot be read (${codeOf(error)})` })
    return undefined
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    mistakes.push({ path: at([]), message: `names a file that is not JSON${placeOf(error, text)}` })
    return undefined
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** Where the text stops being JSON. Of what the parser says only that: it repeats what stands there. */
function placeOf(error: unknown, text: string): string {
  const position = / at position (\d+)/.exec(String(error))?.[1]
  if (position === undefined) return ''
  return `: see line ${text.slice(0, Number(position)).split('\n').length}`
}

/** What is wrong with the key of an entry that is wrong elsewhere too, so that nobody has to start twice to hear of it. */
export function keyMistakes(
  { name, kind, key, from }: Named,
  index: number,
  environment: Record<string, string | undefined>,
  mistakes: Mistake[],
): void {
  const known = kindNames.find((one) => one === kind)
  const isName = from === undefined || (typeof from === 'string' && variableName.test(from))
  if (known === undefined || !isName || (kinds[known] as KindOfProvider).key === 'none') return
  keyOf(
    { name, kind: known, key: key === undefined ? undefined : String(key), key_from: from },
    index,
    environment,
    mistakes,
  )
}

/** The key of an entry, in it or in the environment. */
export function keyOf(
  { kind, key, key_from: from }: ProviderInFile,
  index: number,
  environment: Record<string, string | undefined>,
  mistakes: Mistake[],
): string | undefined {
  const wrong = (member: string, message: string) =>
    mistakes.push({ path: at(['providers', index, member]), message })
  if (key !== undefined && from !== undefined) {
    wrong('key_from', 'cannot be set beside "key"')
    return key
  }
  const facts: KindOfProvider = kinds[kind]
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
export function nameMistakes({ names }: ProvidersFile, withAi: boolean): Mistake[] {
  return names.flatMap(({ name, kind }, index): Mistake[] => {
    const wrong = (message: string) => [{ path: at(['providers', index, 'name']), message }]
    if (name === '') return []
    if (names.findIndex((other) => other.name === name) < index)
      return wrong('is the name of another provider')
    if (withAi && name === AI) return wrong('is the name of the provider of GALLEY_AI_URL')
    return offline.some((own) => own === name && own !== kind)
      ? wrong('is the name of a provider that is always there')
      : []
  })
}
