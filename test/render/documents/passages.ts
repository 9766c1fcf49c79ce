import { decodeHTMLStrict } from 'entities'
import type { Block, Document, Inline, List, Table } from '../../../src/contract/tree.ts'
import type { RenderOptions } from '../../../src/render/options.ts'
import {
  addressKey,
  codePassage,
  letters,
  linkFormat,
  passage,
  picturePassage,
  type Run,
} from '../../support/editor/passages.ts'
import { readable } from './words.ts'

type Given = Pick<RenderOptions, 'format' | 'media' | 'settings'>

/** What a reader should find, and where: read from the tree, in the words of {@link shownPassages}. */
export function documentPassages({ blocks, audio }: Document, given: Given): string[] {
  const narration = audio === undefined ? [] : [audio]
  const all = given.settings.audio === 'top' ? [...narration, ...blocks] : [...blocks, ...narration]
  const levels = blocks.flatMap((block) => (block.type === 'heading' ? [block.level] : []))
  const down = Math.max(0, given.settings.top_heading_level - Math.min(6, ...levels))
  return all.flatMap((block) => read(block, given, down))
}

function read(block: Block, { format, media, settings }: Given, down: number): string[] {
  switch (block.type) {
    case 'heading': {
      const level = Math.min(6, block.level + down)
      return passage(`h${level} ${letters(block.anchor ?? '')}`, runs(block.content))
    }
    case 'paragraph':
      return passage('paragraph', runs(block.content))
    case 'list':
      return listPassages(block, '')
    case 'table':
      return tablePassages(block)
    case 'code_block': {
      const value = readable(block.value.replace(/\r\n?/g, '\n').replace(/[\v\f]/g, ' '))
      const language = settings.code_language_class ? (block.language ?? '') : ''
      return value.trim() === '' ? [] : [codePassage(asciiLetters(language), value)]
    }
    case 'image': {
      const caption = runs(block.caption ?? [])
      const file = media.get(block.url)
      const source = file?.url ?? block.url
      if (!leadsTo(source, ['http:', 'https:'])) return passage('paragraph', caption)
      const href = { none: '', media: source, attachment: file?.link ?? '' }[settings.image_link]
      const [alt = '', title = ''] = [block.alt, block.title ?? ''].map(
        format === 'block' ? withoutEntities : readable,
      )
      return [picturePassage(source, alt, title, href), ...passage('caption', caption)]
    }
    case 'quote':
      return [
        ...block.paragraphs.flatMap((content) => passage('quote', runs(content))),
        ...passage('citation', runs(block.citation ?? [])),
      ]
    case 'audio': {
      const source = media.get(block.url)?.url ?? block.url
      return leadsTo(source, ['http:', 'https:']) ? [`sound: ${addressKey(source)}`] : []
    }
  }
}

function listPassages({ ordered, start, items }: List, place: string): string[] {
  const name = `${place}${ordered ? `ol${start === undefined ? '' : ` from ${start}`}` : 'ul'}`
  return items.flatMap(({ content, lists }, index) => {
    const own = `${name} item ${index + 1}`
    return [...passage(own, runs(content)), ...lists.flatMap((list) => listPassages(list, `${own} > `))]
  })
}

function tablePassages({ headers, rows, caption }: Table): string[] {
  const head = headers.length > 0 ? [headers] : []
  const cells = [...head, ...rows].flatMap((row, index) =>
    row.flatMap((cell, column) =>
      passage(`${row === headers ? 'th' : 'td'} ${index + 1} ${column + 1}`, runs(cell)),
    ),
  )
  const hasCells = [...head, ...rows].some((row) => row.length > 0)
  return [...cells, ...passage(hasCells ? 'caption' : 'paragraph', runs(caption ?? []))]
}

function runs(nodes: readonly Inline[], formats: readonly string[] = []): Run[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return { text: readable(node.text), formats }
    if (node.type === 'code') return { text: readable(node.text), formats: [...formats, 'code'] }
    return runs(node.children, withFormat(formats, node))
  })
}

/** No format is twice around a text, and no link in another. */
function withFormat(formats: readonly string[], node: Exclude<Inline, { text: string }>): readonly string[] {
  if (node.type !== 'link') return [...new Set([...formats, node.type])]
  const linked = formats.some((format) => format.startsWith('link'))
  if (linked || !leadsTo(node.href, ['http:', 'https:', 'mailto:'])) return formats
  return [...formats, linkFormat(node.href, readable(node.title ?? ''))]
}

/** Whether a browser would go there by one of these protocols. */
function leadsTo(address: string, protocols: readonly string[]): boolean {
  const written = address.replace(/\p{Cc}/gu, '').trim()
  return written !== '' && protocols.includes(new URL(written, 'https://page.invalid/').protocol)
}

const asciiLetters = (text: string): string => text.replace(/[^a-z\d]/gi, '')

/** The block editor takes what looks like an entity in a picture's attributes for one. */
function withoutEntities(value: string): string {
  const decoded = readable(decodeHTMLStrict(readable(value)))
  return decoded === value ? value : withoutEntities(decoded)
}
