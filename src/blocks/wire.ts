import { truncate } from '../lib/text.ts'

/** A JSON object as received: any member may be missing or of any type. */
export type WireObject = Readonly<Record<string, unknown>>

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): WireObject => (isWireObject(value) ? value : {})

export const isWireObject = (value: unknown): value is WireObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The first of these members present, preferring one that is not empty. */
export function firstMember(wire: WireObject, names: readonly string[]): unknown {
  let empty: unknown
  for (const name of names) {
    const value = wire[name]
    if (value === undefined || value === null) continue
    if (!isEmptyMember(value)) return value
    empty ??= value
  }
  return empty
}

/** A member present but empty; some senders write `false` for that. */
const isEmptyMember = (value: unknown): boolean =>
  value === '' || value === false || (Array.isArray(value) && value.length === 0)

/** The first of these members that is a non-empty string. */
export function firstTextMember(wire: WireObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = wire[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** An address as a string, or an object with it; of several the first, of one thing in several sizes the last. */
export function addressOf(url: unknown): string | undefined {
  if (Array.isArray(url)) return Array.isArray(url[0]) ? undefined : addressOf(url[0])
  if (!isWireObject(url)) return typeof url === 'string' && url.trim() !== '' ? url.trim() : undefined
  const own = url.url ?? url.src
  if (own !== undefined && own !== null) return typeof own === 'string' ? addressOf(own) : undefined
  const sizes = Object.values(url).map((size) => (typeof size === 'string' ? size.trim() : ''))
  return sizes.every(isAddress) ? sizes.at(-1) : undefined
}

/** Where running text stands: the contract names no member (docs/contract.md). */
export const textNames: readonly string[] = ['text', 'value', 'content', 'children']

/** `firstMember(wire, textNames)` with static names, which is several times as fast; runs for every node. */
export function textMember(wire: WireObject): unknown {
  const text = wire.text ?? wire.value ?? wire.content ?? wire.children ?? undefined
  return isEmptyMember(text) ? firstMember(wire, textNames) : text
}

/** Characters of a type, far longer than any real one; every warning about its content repeats it. */
const LONGEST_TYPE = 60

/** The type in lower snake case: `codeBlock`, `code-block`, `core/code` and `CODE_BLOCK` are one. */
export function wireType(value: unknown): string | undefined {
  if (!isWireObject(value)) return undefined
  const { type } = value
  if (typeof type === 'string' && inSnakeCase.test(type)) return type
  const named = firstTextMember(value, ['type', 'kind', 'block_type', 'blockType'])
  if (named === undefined) return undefined
  return truncate(named, LONGEST_TYPE)
    .trim()
    .replace(camelCase, '$1_$2')
    .replace(/[-\s]+/g, '_')
    .toLowerCase()
}

const inSnakeCase = /^[a-z0-9_]{1,60}$/
const camelCase = /([a-z])([A-Z])/g

/** Whether a text is nothing but a full address. */
export const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text.trim())

/** Removes control characters and collapses white space, for titles, slugs and the like. */
export const collapseToLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()

/** Whether the name of a member is itself words, as in a glossary or of the numbers of a year. */
export const isForPeople = (name: string): boolean => !/^[@$_]?[a-z][\w$-]*$/.test(name)

/** Members that hold names, addresses, styles or measures, not text for people. */
export const nonTextMembers =
  /^(type|kind|.*_?type|blockType|id|.*_id|_?key|url|src|href|.*_url|style|lang|language|level|class|slug|version|width|height|.*_?align(ment)?|textAlign|dir|direction|format|indent|colou?r|className|variant|theme|target|rel|uu?id)$/

/** Every text inside a value, in order. */
export const plainText = (value: unknown): string => collectTexts(value).text

/** As `plainText`, with the number of values visited. */
export function collectTexts(value: unknown): { text: string; values: number } {
  const texts: string[] = []
  let values = 0
  const collect = (part: unknown): void => {
    values += 1
    if (typeof part === 'string' || typeof part === 'number') {
      if (part !== '') texts.push(String(part))
    } else if (Array.isArray(part)) for (const item of part) collect(item)
    else if (isWireObject(part)) for (const name in part) if (!nonTextMembers.test(name)) collect(part[name])
  }
  collect(value)
  return { text: texts.join(' '), values }
}
