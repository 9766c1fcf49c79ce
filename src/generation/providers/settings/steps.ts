import { type Tier, tiers } from '../../../contract/generation/choices.ts'
import { type KindOfProvider, kinds, type Task, tasks } from '../kinds.ts'
import { AI } from './ai.ts'
import type { ConfiguredProvider, Reference, Steps } from './configured.ts'
import { at, type ProvidersFile } from './file.ts'
import type { Mistake } from './mistake.ts'

/** Who is asked where the settings say nothing: what this process can do by itself. */
const usual: Partial<Record<Task, string[]>> = { image: ['cards'], audio: ['espeak'] }

/** Who is asked for what. A list that is wrong adds to `mistakes`. */
export function stepsOf(
  { steps: written, names }: ProvidersFile,
  providers: ConfiguredProvider[],
  mistakes: Mistake[],
): Steps {
  const text = providers.some(({ name }) => name === AI) ? [AI] : []
  const known = new Map(providers.map((provider) => [provider.name, provider]))
  const inFile = new Set(names.map(({ name }) => name))
  const listFor = (task: Task, tier: Tier): Reference[] => {
    const given = written[task] ?? (task === 'research' ? written.text : undefined)
    const from = Array.isArray(given) || given?.[tier] !== undefined ? tier : 'standard'
    const list = Array.isArray(given) ? given : given?.[from]
    const wanted = list ?? usual[task] ?? (task === 'search' ? [] : text)
    return wanted.flatMap((name, index) => {
      const reference = referenceTo(name, task, known)
      if (typeof reference !== 'string') return [reference]
      const [provider = ''] = name.split('/')
      // Its own mistakes are told.
      const isTold = inFile.has(provider) && !known.has(provider)
      const path = ['steps', task, ...(Array.isArray(given) ? [] : [from]), index]
      const mistake = { path: at(path), message: reference }
      if (written[task] !== undefined && !isTold && !mistakes.some((other) => other.path === mistake.path))
        mistakes.push(mistake)
      return []
    })
  }
  return Object.fromEntries(
    tasks.map((task) => [task, Object.fromEntries(tiers.map((tier) => [tier, listFor(task, tier)]))]),
  ) as Steps
}

/** Whom `name` or `name/model` means; or why nobody, as part of a sentence. */
function referenceTo(
  text: string,
  task: Task,
  providers: ReadonlyMap<string, ConfiguredProvider>,
): Reference | string {
  const slash = text.indexOf('/')
  const name = slash === -1 ? text : text.slice(0, slash)
  const provider = providers.get(name)
  if (!provider) return `names an unknown provider; there are ${[...providers.keys()].join(', ')}`
  const { does, models }: KindOfProvider = kinds[provider.kind]
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
