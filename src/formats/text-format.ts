import { membersOf } from '../blocks/wire.ts'
import { excerpt } from '../lib/text.ts'
import { flatten, inLine, type Members, plain, type Running, type WireBlock } from './foreign.ts'
import { FormatWarnings } from './format.ts'
import { simplified } from './html/running-text.ts'
import { readHtml } from './html.ts'
import { inlineMarkdownToHtml, markdownToHtml, warnOfForeignSigns } from './markdown.ts'
import { isSetting, isVerbatim } from './plain-text.ts'

/** What must be in a text for its format to matter. */
const signs = { markdown: /[*_`~[\]<>&\\!:#@|\n-]/, html: /[<&]/ } as const

/** Members whose arrays are one running text; in any other array each element stands by itself. */
const runningMembers = new Set(['text', 'value', 'content', 'children', 'caption', 'citation', 'summary'])

/**
 * Reads the strings of a document in our format as Markdown or HTML. A paragraph may become several blocks; any other string
 * stays one running text.
 */
export class TextReader {
  readonly warnings = new FormatWarnings()
  readonly #format: 'markdown' | 'html'

  constructor(format: 'markdown' | 'html') {
    this.#format = format
  }

  blocks(values: readonly unknown[]): unknown[] {
    return values.flatMap((value) => this.#block(value))
  }

  /** Title and description, which have no formats: their words. */
  words({ title, description }: Members): Members {
    const words = (text: string) => plain(this.#running(text)).replace(/\s+/g, ' ').trim()
    return {
      ...(typeof title === 'string' && { title: words(title) }),
      ...(typeof description === 'string' && { description: words(description) }),
    }
  }

  #block(value: unknown): unknown[] {
    if (typeof value === 'string') return this.#parsed(value)
    const block = membersOf(value)
    const isParagraph = block.type === 'paragraph' || block.type === 'p'
    const name = ['text', 'value', 'content', 'children'].find((member) => typeof block[member] === 'string')
    if (!isParagraph || name === undefined) return [this.#value(value)]
    const blocks = this.#parsed(String(block[name]))
    const [only] = blocks
    return blocks.length === 1 && only?.type === 'paragraph' ? [{ ...block, [name]: only.content }] : blocks
  }

  #value(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return this.#running(value)
    if (Array.isArray(value)) return value.flatMap((one) => this.#element(one, runningMembers.has(name)))
    if (value === null || typeof value !== 'object' || isVerbatim(membersOf(value))) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        isSetting(name) ? member : this.#value(member, name),
      ]),
    )
  }

  /** An element of an array: a block, an item of running text, or a part of a table or list. */
  #element(value: unknown, isRunning: boolean): unknown[] {
    const { type, text, ...others } = membersOf(value)
    if (type === 'text' && typeof text === 'string' && Object.keys(others).length === 0)
      return [this.#running(text)].flat()
    if (type === 'paragraph') return this.#block(value)
    return typeof value === 'string' && isRunning ? [this.#running(value)].flat() : [this.#value(value)]
  }

  #parsed(text: string, toHtml: typeof markdownToHtml = markdownToHtml): WireBlock[] {
    const isMarkdown = this.#format === 'markdown'
    const { content, warnings } = readHtml(isMarkdown ? toHtml(text, this.warnings) : text)
    this.warnings.addAll(warnings)
    if (isMarkdown) warnOfForeignSigns(text, this.warnings)
    return content as WireBlock[]
  }

  #running(written: string): string | Running {
    if (!signs[this.#format].test(written)) return written
    const trimmed = written.trim()
    const { text, others } = flatten(this.#parsed(trimmed, inlineMarkdownToHtml).map(inLine))
    for (const other of others)
      this.warnings.leftOut(`Running text cannot hold this: ${excerpt(JSON.stringify(other), 200)}.`)
    const start = written.slice(0, written.length - written.trimStart().length)
    const end = trimmed === '' ? '' : written.slice(written.trimEnd().length)
    return simplified([start, ...text, end].filter((part) => part !== ''))
  }
}
