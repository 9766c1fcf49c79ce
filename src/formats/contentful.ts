import { byName, isAddress, membersOf, setOf } from '../blocks/wire.ts'
import { scalarText } from '../lib/text.ts'
import {
  addressOf,
  codeBlock,
  elementsOf,
  firstText,
  flatten,
  link,
  type Members,
  paragraph,
  partsOfThing,
  plain,
  type Running,
  type WireBlock,
} from './foreign.ts'
import { type ForeignDocument, type FormatAdapter, readMeta } from './format.ts'
import { type ReadBlock, type ReadInline, readMedia } from './nodes.ts'
import { type ForeignLink, type NodeParts, type TreeNode, TreeReading } from './tree.ts'

/**
 * Contentful's Rich Text: a document, `{json, links}` of GraphQL, an entry whose fields hold documents, or an answer of
 * the Content Delivery API with one entry. Targets are resolved in place, or stand in `includes` or `links`.
 */
export const contentful: FormatAdapter = {
  name: 'contentful',
  detect: (value) => isDocument(value) || documentFields(entryOf(value)).length > 0,
  read(value) {
    const reading = new Reading(value)
    return isDocument(value) ? reading.document(value) : reading.entry(value)
  },
}

const isDocument = (value: unknown): value is Members => membersOf(value).nodeType === 'document'

/** The one entry of an answer, or the value itself. */
const entryOf = (value: unknown): Members => membersOf(elementsOf(membersOf(value).items)[0] ?? value)

/** The fields of an entry or asset; GraphQL has them beside `sys`. */
const fieldsOf = (entry: Members): [string, unknown][] =>
  Object.entries(typeof entry.fields === 'object' ? membersOf(entry.fields) : entry).filter(
    ([name]) => !systemFields.has(name),
  )

const systemFields = setOf('sys __typename metadata contentfulMetadata includes links items')

const documentFields = (entry: Members): [string, Members][] =>
  fieldsOf(entry).flatMap(([name, value]) => {
    const document = documentOf(localised(value))
    return document === undefined ? [] : [[name, document] satisfies [string, Members]]
  })

/** The document of a field: itself, or `{json}` of GraphQL. */
const documentOf = (value: unknown): Members | undefined => [value, membersOf(value).json].find(isDocument)

/** A field by language, `{"en-US": …}`, in its first one. */
function localised(value: unknown): unknown {
  const names = Object.keys(membersOf(value))
  const isByLanguage = names.length > 0 && names.every((name) => locale.test(name) && name !== 'id')
  return isByLanguage ? membersOf(value)[names[0] as string] : value
}

const locale = /^[a-z]{2}(?:-[A-Za-z0-9]{2,8})*$/

/** An entry or an asset, its fields in one language. */
interface Target {
  readonly id: string
  readonly contentType: string
  readonly fields: Members
}

function targetOf(value: unknown): Target {
  const target = membersOf(value)
  const { contentType } = membersOf(target.sys)
  return {
    id: idOf(target),
    contentType: scalarText(membersOf(membersOf(contentType).sys).id) || scalarText(target.__typename),
    fields: Object.fromEntries(fieldsOf(target).map(([name, field]) => [name, localised(field)])),
  }
}

const idOf = (target: unknown): string => {
  const { id, urn } = membersOf(membersOf(target).sys)
  return scalarText(id) || scalarText(urn) || 'without an id'
}

/** Entries inside a document, each as often as it is embedded: entries that embed each other multiply. */
const MAX_EMBEDDED = 200

function nodeOf(value: unknown): NodeParts {
  if (typeof value === 'string') return { name: 'text', text: value }
  const { nodeType, value: text, data, content, marks, ...others } = membersOf(value)
  const attrs = { ...others, ...membersOf(data) }
  return {
    name: scalarText(nodeType),
    text: scalarText(text),
    attrs: nodeType === 'text' || text === undefined ? attrs : { ...attrs, value: text },
    content: elementsOf(content),
    marks: elementsOf(marks).map((mark) => ({ name: scalarText(membersOf(mark).type) })),
  }
}

class Reading {
  readonly #tree = new TreeReading({
    nodeOf,
    nested: (value, tree) => (isDocument(value) ? tree.blocks([value]) : undefined),
    inlines: byName<ReadInline>({ embeddedentryinline: ({ attrs }) => this.#entryInWords(attrs.target) }),
    wrappers: byName<(node: TreeNode) => ForeignLink>({
      'hyperlink assethyperlink entryhyperlink resourcehyperlink': (node) => this.#linkOf(node),
    }),
    blocks: byName<ReadBlock>({
      paragraph: (node) => node.reading.paragraphs(node, paragraphOrCode),
      embeddedassetblock: ({ attrs }) => this.#assetBlock(attrs.target),
      embeddedentryblock: ({ attrs }) => this.#entryBlocks(attrs.target),
      'embeddedresourceblock embeddedresourceinline': ({ attrs }) => {
        this.#warnings.leftOut(
          `The resource "${idOf(attrs.target)}" is in another space and not in the document.`,
        )
        return []
      },
    }),
  })
  readonly #warnings = this.#tree.warnings
  readonly #targets = new Map<string, Target>()
  /** The entries that are being read. */
  readonly #open = new Set<Target>()
  #embedded = 0

  constructor(value: unknown) {
    const { includes, items, links, fields } = membersOf(value)
    this.#register('Asset', membersOf(includes).Asset)
    this.#register('Entry', membersOf(includes).Entry)
    this.#register('Entry', items)
    const ofFields = Object.values(membersOf(fields ?? value)).map((field) => membersOf(field).links)
    for (const { assets, entries } of [links, ...ofFields].map(membersOf))
      for (const list of ['block', 'hyperlink', 'inline']) {
        this.#register('Asset', membersOf(assets)[list])
        this.#register('Entry', membersOf(entries)[list])
      }
  }

  #register(type: 'Asset' | 'Entry', targets: unknown): void {
    for (const target of elementsOf(targets).map(targetOf)) this.#targets.set(`${type} ${target.id}`, target)
  }

  document(value: unknown): ForeignDocument {
    return { content: this.#tree.blocks([value]), warnings: this.#warnings.list }
  }

  /** An entry: its documents one after another, and the fields that say something of them. */
  entry(value: unknown): ForeignDocument {
    const [entry, ...others] =
      membersOf(value).items === undefined ? [value] : elementsOf(membersOf(value).items)
    const { fields } = targetOf(entry)
    const documents = documentFields(membersOf(entry))
    const { meta, read } = readMeta(fields, {
      words: (field) => scalarText(field).trim() || undefined,
      picture: (field) => {
        const asset = this.#assetOf(field)
        return asset && { url: asset.url, alt: asset.description || asset.title }
      },
      terms: (field) =>
        Array.isArray(field) && field.every((term) => typeof term === 'string') ? field : undefined,
    })
    const content = this.#tree.blocks(documents.map(([, document]) => document))
    for (const [name, field] of Object.entries(fields))
      if (!read.has(name) && documentOf(field) === undefined) this.#unread(name, field)
    for (const [name, field] of fieldsOf(membersOf(entry))) this.#otherLanguages(name, field)
    for (const other of others)
      this.#warnings.leftOut(`The entry "${idOf(other)}" is left out: a post is made of the first one.`)
    return { meta, content, warnings: this.#warnings.list }
  }

  /** Dates, numbers, and references that are not resolved, are data of the entry and no words of it. */
  #unread(name: string, field: unknown): void {
    const { blocks, left } = partsOfThing({ [name]: field })
    const shown = [...blocks.map((block) => scalarText(block.url) || plain(block.content)), ...left]
    const words = [this.#assetOf(field)?.url ?? '', ...shown].filter(
      (text) => text !== '' && !isData.test(text),
    )
    if (words.length > 0)
      this.#warnings.leftOut(`The field "${name}" of the entry is not part of the text: ${words.join(' ')}`)
  }

  #otherLanguages(name: string, field: unknown): void {
    const others = localised(field) === field ? [] : Object.keys(membersOf(field)).slice(1)
    if (others.length > 0)
      this.#warnings.leftOut(
        `The field "${name}" is read in its first language; left out: ${others.join(', ')}.`,
      )
  }

  #linkOf({ type, attrs: { uri, url = uri, title, target } }: TreeNode): ForeignLink {
    if (target === undefined) return { url, title }
    const entry = type === 'entryhyperlink' ? this.#resolve('Entry', target) : undefined
    const address = addressOfEntry(entry) ?? this.#assetOf(target)?.url
    return { url: address, title, target: idOf(target) }
  }

  /** A target as it is in place, or among the included ones. */
  #resolve(type: 'Asset' | 'Entry', value: unknown): Target | undefined {
    const target = membersOf(value)
    const isInPlace = membersOf(target.sys).type !== 'Link' && fieldsOf(target).length > 0
    return isInPlace ? targetOf(target) : this.#targets.get(`${type} ${idOf(target)}`)
  }

  #assetOf(value: unknown) {
    const fields = this.#resolve('Asset', value)?.fields ?? {}
    const { details, ...file } = membersOf(fields.file)
    const { width, height } = membersOf(membersOf(details).image)
    const asset = { width, height, ...file, ...fields }
    const url = addressOf(file.url) || addressOf(fields.url)
    const title = firstText(asset, ['title', 'fileName'])
    return url === ''
      ? undefined
      : { ...asset, url, title, description: scalarText(fields.description).trim() }
  }

  #assetBlock(target: unknown): WireBlock[] {
    const asset = this.#assetOf(target)
    if (asset === undefined) {
      this.#warnings.leftOut(
        `The embedded asset "${idOf(target)}" has no address in the document. ${howToResolve}`,
      )
      return []
    }
    const { title, description, url } = asset
    const contentType = url.includes('//images.ctfassets.net/') ? 'image/*' : ''
    const node = this.#tree.untyped({ contentType, ...asset, alt: description || title })
    const blocks = readMedia(node, undefined)
    const isShown = description === '' || blocks[0]?.type === 'image'
    return isShown ? blocks : [...blocks, paragraph(description)]
  }

  /** An entry is of a type that only its space knows: it is kept as what its fields hold. */
  #entryBlocks(value: unknown): WireBlock[] {
    const target = this.#resolve('Entry', value)
    if (target === undefined) {
      this.#warnings.leftOut(`The embedded entry "${idOf(value)}" is not in the document. ${howToResolve}`)
      return []
    }
    const { id, contentType, fields } = target
    if (this.#open.has(target) || this.#embedded === MAX_EMBEDDED) {
      this.#warnings.leftOut(`The entry "${id}" is left out where it is embedded too deeply or too often.`)
      return []
    }
    this.#warnings.changed(
      `The embedded entry "${id}"${contentType && ` (${contentType})`} is kept as its words, links and pictures.`,
    )
    this.#embedded += 1
    this.#open.add(target)
    const { blocks, left } = partsOfThing(fields, (field) => this.#referenced(field))
    this.#open.delete(target)
    if (left.length > 0) this.#warnings.leftOut(`Left out of an embedded entry: ${left.join(', ')}.`)
    return blocks
  }

  /** A document, an asset or an entry in a field of an entry. */
  #referenced(value: unknown): readonly WireBlock[] | undefined {
    const document = documentOf(value)
    if (document !== undefined) return this.#tree.blocks([document])
    const { sys, __typename } = membersOf(value)
    if (sys === undefined) return undefined
    const { type, linkType } = membersOf(sys)
    return [type, linkType, __typename].includes('Asset') ? this.#assetBlock(value) : this.#entryBlocks(value)
  }

  /** An entry amid running text, its pictures and files as links. */
  #entryInWords(target: unknown): Running {
    const { text, others } = flatten(this.#entryBlocks(target))
    const links = others.flatMap(({ type, url, alt, title, text: name, caption }) => {
      const words = [alt, title, name, caption].map(scalarText).filter((word) => word !== '')
      if (scalarText(url) === '') this.#warnings.leftOut(`A ${type} amid running text is left out.`)
      return scalarText(url) === '' ? [] : [link(scalarText(url), words.join(', ') || scalarText(url))]
    })
    return [...text, ...links]
  }
}

/** Editors without blocks of code mark whole paragraphs as code. */
function paragraphOrCode(text: Running): WireBlock {
  const code = text.map((part) =>
    typeof part !== 'string' && part.type === 'code' ? scalarText(part.text) : undefined,
  )
  const isCode = code.every((part) => part !== undefined) && code.some((part) => part?.includes('\n'))
  return isCode ? codeBlock(code.join(''), '') : paragraph(text)
}

const howToResolve = 'Send it with "includes", or with its targets resolved.'

/** Dates and numbers. */
const isData = /“\d{4}-\d\d-\d\d|^\S+ \d+$/

/** The address of an entry's page, where a field holds a full one. */
const addressOfEntry = (entry: Target | undefined): string | undefined =>
  ['url', 'uri', 'href', 'link'].map((name) => scalarText(entry?.fields[name]).trim()).find(isAddress)
