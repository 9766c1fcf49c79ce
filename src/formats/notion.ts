import { byName, membersOf, setOf } from '../blocks/wire.ts'
import { excerpt, scalarText } from '../lib/text.ts'
import {
  addressOf,
  elementsOf,
  flatten,
  link,
  type Members,
  paragraph,
  plain,
  typeName,
  type WireBlock,
} from './foreign.ts'
import type { ForeignDocument, FormatAdapter } from './format.ts'
import type { ReadBlock } from './nodes.ts'
import { ForeignList, type ForeignMark, type NodeParts, type TreeNode, TreeReading } from './tree.ts'

/**
 * Blocks of Notion's API, as it answers and as it takes them: an array, a `list` with `results`, a page with its blocks
 * in `children` or `blocks`, or one block. The children of a block stand in it, as `children` or `[type].children`.
 */
export const notion: FormatAdapter = {
  name: 'notion',
  detect(value) {
    const { object, page } = membersOf(value)
    const isPage = object === 'page' || membersOf(page).object === 'page'
    return isPage || isBlock(blocksIn(value)?.[0] ?? value)
  },
  read: (value) => new Reading().document(value),
}

/** Answers say `object: "block"`; requests need not. */
function isBlock(value: unknown): boolean {
  const { object, type } = membersOf(value)
  const name = scalarText(type)
  return object === 'block' || (blockTypes.has(name) && typeof membersOf(value)[name] === 'object')
}

const blockTypes = setOf(
  'paragraph heading_1 heading_2 heading_3 heading_4 bulleted_list_item numbered_list_item to_do toggle quote callout code image video file pdf audio bookmark embed link_preview link_to_page divider equation table column_list synced_block child_page child_database template tab table_of_contents breadcrumb',
)

/** The blocks of a value: itself, an answer's `results`, or those of a page under one of its names. */
function blocksIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const members = membersOf(value)
  const found = ['results', 'children', 'blocks', 'content'].map((name) => members[name])
  return found.map((list) => (Array.isArray(list) ? list : membersOf(list).results)).find(Array.isArray)
}

const kindsOfIcons = byName({ '💡': 'tip', '⚠️ ⚠ 🚨': 'warning', '❗ ‼️': 'important', 'ℹ️ 📝': 'note' })

const namesOfProperties = byName({
  slug: 'slug',
  'description excerpt summary': 'description',
  tags: 'tags',
  'category categories': 'categories',
})

const listTypes = new Set(['bulleted_list_item', 'numbered_list_item', 'to_do'])

/** Those that hold blocks; what stands in any other is a block after it. */
const holders =
  /^(?:toggle|heading_\d|quote|callout|template|tab|table|column_list|column|synced_block|child_page)$/

/** An item of running text. */
function isItem(value: unknown): boolean {
  const { object, type, plain_text: plainText, annotations } = membersOf(value)
  const isText = type === 'text' || type === 'mention'
  return object !== 'block' && (isText || plainText !== undefined || annotations !== undefined)
}

const asParagraph = (text: readonly unknown[]) => ({ type: 'paragraph', paragraph: { rich_text: text } })

interface Block {
  readonly name: string
  /** What the block says of itself, under the name of its type. */
  readonly own: Members
  readonly text: readonly unknown[]
  readonly children: readonly unknown[]
}

class Reading {
  readonly #tree = new TreeReading({
    nodeOf: (value) => this.#nodeOf(value),
    group: (values) => this.#grouped(values),
    nested: (value, tree) => (elementsOf(value).some(isItem) ? tree.blocks(elementsOf(value)) : undefined),
    blocks: byName<ReadBlock>({
      'syncedblock template': ({ content, attrs, reading }) => {
        const { block_id: source } = membersOf(attrs.synced_from)
        if (scalarText(source) !== '' && content.length === 0)
          this.#warnings.leftOut(`A synced block shows the block "${source}", which is not in the document.`)
        return reading.blocks(content)
      },
      tab: ({ content, reading }) => {
        this.#warnings.changed('Tabs stand below each other, each below its name.')
        return reading.blocks(content)
      },
      'childpage childdatabase linktopage': (node) => this.#page(node),
      'tableofcontents breadcrumb': ({ name }) => {
        this.#warnings.note(`A block that Notion fills by itself is left out: ${name}`)
        return []
      },
    }),
  })
  readonly #warnings = this.#tree.warnings

  document(value: unknown): ForeignDocument {
    const { page, object, type, child_page: child, has_more: hasMore } = membersOf(value)
    const owner = object === 'page' ? value : page
    const isOneBlock = isBlock(value) && type !== 'child_page'
    const blocks = isOneBlock ? [value] : blocksIn(value)
    if (blocks === undefined) this.#warnings.leftOut('The blocks of the page are not in the document.')
    if (hasMore === true)
      this.#warnings.leftOut(
        'The list of blocks goes on: "has_more" is true, and the rest is not in the document.',
      )
    const { title } = membersOf(child)
    const meta = scalarText(title) === '' ? this.#meta(membersOf(owner)) : { title: scalarText(title) }
    const content = this.#tree.blocks(blocks ?? [])
    return { meta, content, warnings: this.#warnings.list }
  }

  #meta({ properties, cover }: Members): Members {
    const meta: Record<string, unknown> = {}
    const unread: string[] = []
    for (const [name, value] of Object.entries(membersOf(properties))) {
      const { text, terms } = this.#property(membersOf(value))
      const isTitle = membersOf(value).title !== undefined
      const member = isTitle ? 'title' : namesOfProperties.get(name.toLowerCase())
      const said = member === 'tags' || member === 'categories' ? terms : text
      if (member !== undefined && meta[member] === undefined && said.length > 0) meta[member] = said
      else if (text !== '') this.#warnings.leftOut(`The property "${name}" is not part of the text: ${text}`)
      else unread.push(name)
    }
    if (unread.length > 0)
      this.#warnings.note(`Properties that say nothing of the text are not read: ${unread.join(', ')}`)
    const picture = this.#file(membersOf(cover))
    return picture === '' ? meta : { ...meta, featured_image: picture }
  }

  /** The words of a property, and what was chosen in it. */
  #property({ title, rich_text: text, url, files, select, multi_select: chosen }: Members) {
    const terms = [select, ...elementsOf(chosen)].map((term) => scalarText(membersOf(term).name))
    const words = [this.#words(title), this.#words(text), addressOf(url)]
    const addresses = elementsOf(files).map((file) => this.#file(membersOf(file)))
    const isFilled = (part: string) => part !== ''
    return { text: [...words, ...addresses].filter(isFilled).join(' '), terms: terms.filter(isFilled) }
  }

  #words(items: unknown): string {
    return plain(flatten(this.#tree.blocks(elementsOf(items))).text)
  }

  #block(value: unknown): Block {
    const block = membersOf(value)
    const name = scalarText(block.type)
    const own = Object.hasOwn(block, name) ? membersOf(block[name]) : {}
    // Older versions of the API call it `text`.
    const text = elementsOf(own.rich_text ?? own.text)
    const children = blocksIn({ children: block.children }) ?? blocksIn({ children: own.children })
    if (block.has_children === true && children === undefined && name !== 'child_page')
      this.#warnings.leftOut(
        `What stands in the block "${scalarText(block.id)}" (${name}) is not in the document: ${excerpt(this.#words(text), 100)}`,
      )
    return { name, own, text, children: children ?? [] }
  }

  /** Neighbouring items as lists, and what stands in a block that holds none after it. */
  #grouped(values: readonly unknown[]): unknown[] {
    const found: unknown[] = []
    let before = ''
    for (const value of values) {
      const { name, own, text, children } = this.#block(value)
      const last = found.at(-1)
      if (listTypes.has(name)) {
        const isSame = name === before && last instanceof ForeignList
        const list = isSame ? last : new ForeignList(name === 'numbered_list_item', own.list_start_index)
        const checked = name === 'to_do' ? own.checked === true : undefined
        list.items.push({ content: [asParagraph(text), ...children], checked })
        if (list !== last) found.push(list)
      } else if (children.length === 0 || holders.test(name)) found.push(value)
      else {
        if (name === 'paragraph')
          this.#warnings.changed('Indented blocks stand below the paragraph they belong to.')
        found.push({
          ...membersOf(value),
          has_children: false,
          children: [],
          [name]: { ...own, children: [] },
        })
        for (const child of this.#grouped(children)) found.push(child)
      }
      before = name
    }
    return found
  }

  #nodeOf(value: unknown): NodeParts {
    if (typeof value === 'string') return { name: 'text', text: value }
    if (isItem(value)) return this.#itemOf(membersOf(value))
    const { name, own, text, children } = this.#block(value)
    const isFolded = name === 'toggle' || (/^heading_/.test(name) && children.length > 0)
    const type = isFolded ? 'toggle' : name === 'equation' ? 'math' : typeName(name)
    const icon = name === 'callout' ? this.#icon(membersOf(own.icon)) : ''
    const words = icon === '' ? text : [`${icon} `, ...text]
    const isAbove = name === 'quote' || name === 'callout' || name === 'template' || name === 'tab'
    const inside = isAbove ? [asParagraph(words), ...children] : children
    return {
      name,
      type,
      attrs: {
        text,
        ...own,
        ...{ rich_text: undefined, children: undefined },
        alt: name === 'image' ? this.#words(own.caption).trim() : undefined,
        kind: kindsOfIcons.get(icon),
        language: own.language === 'plain text' ? '' : own.language,
      },
      file: { url: this.#file(own), block_id: membersOf(value).id },
      content: name === 'paragraph' || name === 'code' ? text : inside,
    }
  }

  #itemOf(item: Members): NodeParts {
    const { type, annotations, href, plain_text: plainText, text, equation, mention } = item
    const { content, link } = membersOf(text)
    const written = {
      words: scalarText(content) || scalarText(plainText),
      url: addressOf(href) || addressOf(link) || addressOf(membersOf(link).url),
    }
    const isMention = type === 'mention' || mention !== undefined
    const { words, url } = isMention ? this.#mention(membersOf(mention), written) : written
    const { color, ...flags } = membersOf(annotations)
    const marks: ForeignMark[] = Object.keys(flags).flatMap((name) =>
      flags[name] === true ? [{ name }] : [],
    )
    if (/_background$/.test(scalarText(color))) marks.push({ name: 'highlight' })
    else if (!['', 'default'].includes(scalarText(color))) marks.push({ name: 'color', attrs: { color } })
    if (url !== '') marks.push({ name: 'link', link: { url: inNotion(url) } })
    const latex = scalarText(membersOf(equation).expression)
    return latex === ''
      ? { name: 'text', text: words, marks }
      : { name: 'inlinemath', attrs: { latex }, marks }
  }

  #icon({ emoji, custom_emoji: custom, ...file }: Members): string {
    const picture = this.#file(file) || addressOf(membersOf(custom).url)
    if (picture !== '') this.#warnings.leftOut(`The picture beside a callout is left out: ${picture}`)
    return scalarText(emoji)
  }

  /** The address of a file, whoever keeps it. That of a file in Notion is good for an hour. */
  #file({ external, file, url, expiry_time: expiry = membersOf(file).expiry_time }: Members): string {
    const addresses = [membersOf(external).url, membersOf(file).url, url].map(addressOf)
    const address = addresses.find((found) => found !== '') ?? ''
    if (address !== '' && typeof expiry === 'string')
      this.#warnings.note(`The address of a file in Notion is good until ${expiry}: ${address}`)
    return address
  }

  /** Another page: its blocks where they are in the document, and otherwise a link to it. */
  #page(node: TreeNode): WireBlock[] {
    const title = node.said('title')
    const content = node.reading.blocks(node.content)
    if (content.length > 0) {
      this.#warnings.changed(`The page "${title}" inside the document is a heading and its blocks.`)
      return [{ type: 'heading', level: 2, text: [title] }, ...content]
    }
    const target =
      node.said('page_id', 'database_id') || (node.type === 'linktopage' ? '' : node.said('block_id'))
    if (node.type === 'childdatabase')
      this.#warnings.leftOut(`The rows of the database "${title || target}" are not in the document.`)
    else this.#warnings.changed(`The page "${title || target}" is a link to Notion.`)
    if (target === '') return title === '' ? [] : [paragraph([title])]
    return [paragraph([link(pageAddress(target), title || pageAddress(target))])]
  }

  /** The name of what is mentioned, and where it is. Requests have no words of a mention. */
  #mention(mention: Members, { words, url }: { words: string; url: string }) {
    const {
      page,
      database,
      date,
      user,
      link_mention: site,
      link_preview: preview,
      custom_emoji: emoji,
    } = mention
    const { start, end } = membersOf(date)
    const id = scalarText(membersOf(page).id) || scalarText(membersOf(database).id)
    const { href, title } = membersOf(site)
    const address =
      url || addressOf(href) || addressOf(membersOf(preview).url) || (id === '' ? '' : pageAddress(id))
    const name = scalarText(membersOf(user).name)
    const dates = [start, end].map(scalarText).filter((day) => day !== '')
    const picture = addressOf(membersOf(emoji).url)
    if (picture !== '') this.#warnings.leftOut(`An emoji of the workspace is kept as its name: ${picture}`)
    const shown = scalarText(title) || words || (name === '' ? dates.join(' – ') : `@${name}`) || address
    if (shown === '')
      this.#warnings.leftOut(`A mention has no words: ${scalarText(membersOf(user).id)}`.trim())
    return { words: shown, url: address }
  }
}

const pageAddress = (id: string): string => `https://www.notion.so/${id.replaceAll('-', '')}`

/** Links to pages of the workspace begin with `/`. */
const inNotion = (url: string): string => (url.startsWith('/') ? `https://www.notion.so${url}` : url)
