import { isDataUrl } from '../contract/payload.ts'
import { excerpt, scalarText, truncate } from '../lib/text.ts'
import type { WarningCode } from '../warnings.ts'
import { type Block, blocksByName, type Inline, inlinesByName } from './index.ts'
import { paragraphsOf } from './paragraph/index.ts'
import type { Reading } from './read.ts'
import {
  addressesIn,
  blockType,
  collapseToLine,
  collectTexts,
  firstTextMember,
  humanReadable,
  isAddress,
  isForPeople,
  isPicture,
  isPictureUrl,
  isWireObject,
  nonTextMembers,
  plainText,
  setOf,
  textNames,
  type WireObject,
  wireType,
} from './wire.ts'

/*
 * What is not known goes one way: blocks inside it come out of it, an array becomes a list, an address of a picture or a
 * page stays a picture or a link, and the rest stays as its words. Each time a warning says what became of it.
 */

/** Members that head what they stand with. */
const titleNames = setOf('title heading headline name label term question')

/** Members whose name says nothing of what is in them. */
const plainNames = setOf(
  'items content children blocks body value text list entries elements rows cells data paragraphs sections nodes',
)

const addressNames = ['url', 'href', 'src', 'link'] as const
const pictureName = /image|picture|photo|thumbnail|avatar|logo|cover/i
const isFileAddress = (value: unknown): value is string =>
  typeof value === 'string' && (isAddress(value) || isDataUrl(value))

/** Untyped text with formats as members, and not a block of several texts. */
export const isPlainInline = (wire: WireObject): boolean => {
  const hasAddress = firstTextMember(wire, ['url', 'href']) !== undefined
  for (const name in wire) {
    const isText = textNames.includes(name)
    if (isText && typeof wire[name] === 'object' && hasBlocks(wire[name])) return false
    if (!isText && humanReadable.has(name) && !(name === 'title' && hasAddress)) return false
  }
  return textNames.some((name) => wire[name] !== undefined) && !isPicture(wire)
}

/** The picture of an item in running text: the item itself, or one of its members, and then what is left of it. */
export function splitPicture(wire: WireObject): { picture: WireObject; others?: WireObject } | undefined {
  if (isPicture(wire)) return { picture: wire }
  for (const [name, value] of Object.entries(wire)) {
    const isNamed = pictureName.test(name) && isFileAddress(value)
    const picture = isNamed ? { url: value } : value
    if (isWireObject(picture) && (isNamed || isPicture(picture)))
      return { picture, others: { ...wire, [name]: undefined } }
  }
  return undefined
}

const isBlock = (value: unknown): boolean => {
  const type = blockType(value)
  return type !== undefined && blocksByName.has(type) && !inlinesByName.has(type)
}

/** Whether a member holds blocks, or groups of them as the columns of a page are. */
const hasBlocks = (value: unknown): boolean => [value].flat(2).some((part) => isBlock(part) || isGroup(part))

/** Whether an object holds blocks, which each level around it asks again. */
const groups = new WeakMap<WireObject, boolean>()

/** An object that holds blocks, or such objects. */
function isGroup(value: unknown): value is WireObject {
  if (!isWireObject(value)) return false
  const known = groups.get(value)
  if (known !== undefined) return known
  const holdsBlocks = Object.values(value).some((member) => Array.isArray(member) && hasBlocks(member))
  groups.set(value, holdsBlocks)
  return holdsBlocks
}

/** Characters of a document that are compared, to tell what says the same: nested content is compared at each level. */
const MAX_COMPARED = 500_000

/** Whether a text is words for readers, and not a name or a style of the sender's own: two words at least. */
const isSentence = (text: string): boolean =>
  text.split(/\s+/, MAX_SAID).filter((word) => /\p{L}{2}/u.test(word) && !isAddress(word)).length > 1 ||
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u.test(text)

/** One word or a price, which may be for readers: `CEO`, `Opinion`, `$49`. Settings are `dark` or `PRIMARY`. */
const isOneWord =
  /^\s*(?:\p{Lu}[\p{Ll}\p{M}'’-]+|\p{Lu}{2,3}|\p{Lo}{2,}|\p{Sc}\s?\d[\d.,]*|\d[\d.,]*\s?(?:\p{Sc}|\p{L}{2,}))[.,:;!?]?\s*$/u

/** Whether one text has all words of another. Not a search for it, which takes the product of the lengths at worst. */
function containsAllWords(text: string, words: string): boolean {
  const sought = words.trim()
  if (text.trim() === sought) return true
  const there = new Set(wordsOf(text))
  const all = wordsOf(sought)
  return all.length > 0 && all.every((word) => there.has(word))
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

export class UnknownReader {
  readonly #reading: Reading
  #compared = 0

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Warns of a member of a thing that is not read, where it has words or an address that `read` does not say. */
  warnOfLost(name: string, what: string, value: unknown, read: () => string): void {
    const isLoss = this.#isLost(read, value)
    const isWord = typeof value === 'string' && isOneWord.test(value)
    if (!isLoss && !(isWord && !this.repeats(read, value))) return
    const message = `the "${truncate(name, 60)}" of ${what} is not read and is left out: ${said(value)}`
    this.#reading.warn(isLoss ? 'text_left_out' : 'member_unknown', message)
  }

  block(wire: WireObject): Block[] {
    return this.#reading.nested(() => this.#readUnknown(wire))
  }

  /** Keeps these members, as `rest` of a reading. */
  rest(wire: WireObject, what: string, names: readonly string[], read: () => string): [Block[], Block[]] {
    const before: Block[] = []
    const after: Block[] = []
    for (const name of names) {
      const value = wire[name]
      const isTitle = titleNames.has(name)
      // The words of a short title are often among others.
      const isSaid = isTitle
        ? collapseToLine(read()) === collapseToLine(plainText(value))
        : this.repeats(read, value)
      if (isSaid) continue
      const blocks = this.#reading.nested(() => this.#readMember(name, value))
      if (blocks.length === 0) continue
      const message = `the "${truncate(name, 60)}" of ${what} stands ${isTitle ? 'above' : 'below'} it: ${said(value)}`
      this.#reading.warn('member_kept', message)
      for (const block of blocks) (isTitle ? before : after).push(block)
    }
    return [before, after]
  }

  /** A picture for the address of one, and a link for another; else the value itself. */
  asItem(value: unknown): unknown {
    return isFileAddress(value) ? { type: isPictureUrl(value) ? 'inline_image' : 'link', url: value } : value
  }

  /** Whether a value has words or an address that are not among what was read. */
  #isLost(read: () => string, value: unknown): boolean {
    if (typeof value !== 'string' && typeof value !== 'object') return false
    const addresses = addressesIn(value)
    const all = addresses.length > 0 && this.#compared <= MAX_COMPARED ? read() : ''
    this.#compared += all.length
    if (addresses.some((address) => !all.includes(address))) return true
    return isSentence(plainText(value)) && !this.repeats(read, value)
  }

  /** Whether `read` says all words of a value already. */
  repeats(read: () => string, value: unknown): boolean {
    if (this.#compared > MAX_COMPARED) return false
    const { text: words, values } = collectTexts(value)
    if (words.trim() === '') {
      this.#compared += values
      return true
    }
    const text = read()
    this.#compared += text.length + words.length + values
    return containsAllWords(text, words)
  }

  #readUnknown(wire: WireObject): Block[] {
    const type = wireType(wire)
    const name = type === undefined ? 'a block without a type' : `a block of type "${type}"`
    const isNamed = pictureName.test(type ?? '') && isFileAddress(firstTextMember(wire, ['url', 'src']))
    if (isPicture(wire) || isNamed) {
      const picture = this.#reading.block({ ...wire, type: 'image' })
      return this.#kept('block_unknown', `${name} is not known; its picture is kept`, picture)
    }
    const { rows } = wire
    if (Array.isArray(rows) && rows.length > 0 && rows.every(Array.isArray) && !hasBlocks(rows)) {
      const table = this.#reading.block({ ...wire, type: 'table' })
      return this.#kept('block_unknown', `${name} is not known; its rows are a table`, table)
    }
    const blocks = this.#readMembers(wire)
    if (blocks.length === 0) {
      this.#reading.warn('block_left_out', `${name} is not known and has no words; it is left out`)
      return []
    }
    if (Object.values(wire).some(hasBlocks))
      return this.#kept(
        'block_unwrapped',
        `${name} is not known; the blocks in it stand in its place`,
        blocks,
      )
    const isKnown = blocksByName.has(type ?? '')
    return this.#kept(
      'block_unknown',
      `${name} ${isKnown ? 'has no words where they are read' : 'is not known'}; what it says is kept: ${said(wire)}`,
      blocks,
    )
  }

  #kept(code: WarningCode, message: string, blocks: Block[]): Block[] {
    this.#reading.warn(code, message)
    return blocks
  }

  /** Every member in order; what heads the others first, and an address around the words that it belongs to. */
  #readMembers(wire: WireObject): Block[] {
    const names = Object.keys(wire).filter(
      (name) => wire[name] !== null && (!nonTextMembers.test(name) || /_url$/.test(name)),
    )
    const titles = names.filter((name) => titleNames.has(name))
    const isAddress = (name: string) => addressNames.includes(name as never) && typeof wire[name] === 'string'
    const others = names.filter((name) => !titleNames.has(name) && !isAddress(name))
    const href = firstTextMember(wire, addressNames)
    const isContainer = others.some((name) => hasBlocks(wire[name]))
    const head = titles.flatMap((name) =>
      isContainer
        ? this.#reading.block({ type: 'heading', level: 2, text: wire[name] })
        : this.#readMember(name, wire[name]),
    )
    const body = others.flatMap((name) => [
      ...(isForPeople(name) ? this.#readMember('label', name) : []),
      ...this.#readMember(name, wire[name]),
    ])
    const blocks = [...head, ...body]
    if (href === undefined) return blocks
    const [first, ...rest] = blocks
    const link = (children: Inline[]): Block => ({
      type: 'paragraph',
      content: [{ type: 'link', href: this.#reading.link('url', href.trim()), children }],
    })
    if (first?.type === 'paragraph' && rest.length === 0) return [link(first.content)]
    return [...blocks, link([{ type: 'text', text: href.trim() }])]
  }

  #readMember(name: string, value: unknown): Block[] {
    if (Array.isArray(value)) return this.#readArray(name, value)
    if (isWireObject(value)) return this.#readObject(name, value)
    const text = scalarText(value)
    if (isFileAddress(text)) return this.#readAddress(name, text.trim())
    const paragraphs = paragraphsOf(this.#reading.inlines(text))
    if (!titleNames.has(name)) return paragraphs
    return paragraphs.map(
      ({ content }): Block => ({ type: 'paragraph', content: [{ type: 'bold', children: content }] }),
    )
  }

  #readAddress(name: string, url: string): Block[] {
    if (isPictureUrl(url) || pictureName.test(name)) return this.#reading.block({ type: 'image', url })
    return [{ type: 'paragraph', content: this.#reading.inlines({ type: 'link', url }) }]
  }

  #readObject(name: string, value: WireObject): Block[] {
    if (isBlock(value)) return this.#reading.block(value)
    if (isPicture(value) || (pictureName.test(name) && firstTextMember(value, ['url', 'src']) !== undefined))
      return this.#reading.block({ ...value, type: 'image' })
    if (isPlainInline(value)) return paragraphsOf(this.#reading.inlines(value))
    return this.#reading.nested(() => this.#readMembers(value))
  }

  /** Blocks as they are; running text as a paragraph; anything else as a list, under its name where that says something. */
  #readArray(name: string, values: readonly unknown[]): Block[] {
    const filled = values.filter((value) => value !== null && value !== '')
    if (filled.length === 0) return []
    if (name === 'caption') return paragraphsOf(this.#reading.inlines(filled))
    const isImage = (value: unknown) =>
      isWireObject(value) ? isPicture(value) : isFileAddress(value) && isPictureUrl(value)
    if (filled.every(isImage)) return filled.flatMap((value) => this.#readMember('image', value))
    if (hasBlocks(filled))
      return filled.flatMap((value) =>
        isWireObject(value) && blockType(value) === undefined
          ? this.#readMembers(value)
          : this.#reading.blocks(value),
      )
    if (filled.some((value) => inlinesByName.has(wireType(value) ?? '')))
      return paragraphsOf(this.#reading.inlines(filled))
    const label = plainNames.has(name) ? [] : this.#readMember('label', words(name))
    return [...label, ...this.#reading.block({ type: 'list', items: filled })]
  }
}

/** `key_takeaways` as a person writes it. */
const words = (name: string): string => {
  const spaced = truncate(name, 60)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .toLowerCase()
    .trim()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** Characters of what is kept or lost that a warning repeats. */
const MAX_SAID = 120
/** Characters in which files in addresses are looked for: a repetition over megabytes can exceed the stack of V8's patterns. */
const MAX_SEARCHED = 10_000

/** The beginning of what a value says, or the address in it. */
const said = (value: unknown): string => {
  const address = (isWireObject(value) ? firstTextMember(value, addressNames) : undefined) ?? ''
  const text = collapseToLine(plainText(value)) || address
  return `“${excerpt(text.slice(0, MAX_SEARCHED).replace(/data:[^,\s]{0,200},\S+/gi, 'data:…'), MAX_SAID)}”`
}
