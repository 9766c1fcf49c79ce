import { pageOf, pagesById, providerOf } from '../blocks/embed/providers.ts'
import { byName, fileName, filled, hasExtension, membersOf } from '../blocks/wire.ts'
import { scalarText } from '../lib/text.ts'
import {
  calloutOf,
  codeBlock,
  elementsOf,
  embedOf,
  type ForeignCell,
  flatten,
  imageOf,
  isBlank,
  lines,
  link,
  listOf,
  paragraph,
  plain,
  type Running,
  tableOf,
  type WireBlock,
} from './foreign.ts'
import { markdownToHtml } from './markdown.ts'
import type { TreeNode } from './tree.ts'

/*
 * The nodes that editors share, whatever each calls them and their members. A node has its words as nodes in it or, in formats
 * of flat objects, as a member.
 */

export type ReadInline = (node: TreeNode) => Running

/** Reads a node as what its type says, or gives nothing where it cannot be that. */
export type ReadBlock = (node: TreeNode) => readonly WireBlock[] | undefined

const bodyNames = ['content', 'body', 'text', 'message', 'description', 'children', 'value', 'blocks']
const latexNames = 'latex math expression equation body value formula tex text code'.split(' ')
const titleNames = ['summary', 'question', 'title', 'heading']
const playerNames = ['url', 'src', 'href', 'fileSrc', 'source', 'link', 'embedUrl', 'videoUrl', 'embed']

const mediaSettings = 'mimeType relationTo value width height hotspot crop filename fileName'.split(' ')

/** Names that tell a person which file it was. */
const fileNames = ['relationTo', 'value', '_ref', '__fileName', 'block_id', 'id', 'name']

const itemNames = 'listitem taskitem todoitem checkitem checklistitem blocktaskitem decisionitem'
const itemTypes = new Set(itemNames.split(' '))

const isCode = ({ name }: { name: string }): boolean => /^(?:inline_?)?code$/i.test(name)

/** A formula, which is one thing amid text and by itself. */
export const formulaOf = (node: TreeNode): WireBlock => ({
  type: 'math',
  latex: node.said(...latexNames) || node.reading.words(node.content),
})

export function readText({ text, marks }: TreeNode): Running {
  return marks.some(isCode) ? [{ type: 'code', text }] : lines(text)
}

export const inlines = byName<ReadInline>({
  'text span': readText,
  'hardbreak br linebreak': () => [{ type: 'break' }],
  mention(node) {
    const name = node.text || node.said('text', 'label', 'name', 'mentionName', 'username', 'id', 'userId')
    const sign = node.said('mentionSuggestionChar') || '@'
    return [name.startsWith(sign) || name === '' ? name : sign + name]
  },
  emoji: (node) => [node.text || node.said('emoji', 'text', 'shortName', 'name')],
  'inlinemath mathinline inlineequation inlinelatex': (node) => [formulaOf(node)],
  footnote(node) {
    return [{ type: 'footnote', text: node.reading.textOnly(node.blocks('text', 'content')) }]
  },
})

/** Whether a type has a reader here. */
export const isKnown = (type: string): boolean => inlines.has(type) || blocks.has(type)

/** The blocks that a node holds; what a site calls a section may have more members than these. */
const inside: ReadBlock = (node) =>
  node.hasOwnMembers && node.content.length === 0 ? undefined : node.blocks(...bodyNames)

export const blocks = byName<ReadBlock>({
  'root doc document section div body container detailscontent collapsiblecontent column layoutcolumn layoutitem blockgroup blockcontainer':
    inside,
  paragraph: readParagraph,
  'heading header heading1 heading2 heading3 heading4 heading5 heading6': readHeading,
  'blockquote quote aside': readQuote,
  pullquote(node) {
    const [quote] = readQuote(node) ?? []
    const { text, others } = flatten(elementsOf(quote?.content) as WireBlock[])
    return others.length > 0 || quote === undefined
      ? quote && [quote]
      : [{ type: 'pullquote', value: text, ...filled({ citation: quote.citation }) }]
  },
  'codeblock code fence'(node) {
    if (!node.hasOwnMembers) node.leaveOut('filename', 'fileName', 'title')
    node.ignore('highlightedLines')
    const language =
      node.said('language', 'lang', 'languageCode', 'params', 'mode') ||
      node.said('class').replace(/^language-/, '')
    const value = node.said('code', 'text') || node.reading.words(node.content)
    for (const { link } of node.content.flatMap((part) => node.reading.node(part).marks))
      if (link) node.reading.warnings.leftOut(`A link amid code is left out: ${scalarText(link.url)}.`)
    return [codeBlock(value, language), ...node.member('caption')]
  },
  'horizontalrule hr break rule divider separator delimiter breakline pagebreak': () => [
    { type: 'separator' },
  ],
  'list bulletlist unorderedlist orderedlist tasklist todolist checklist decisionlist': readList,
  [itemNames]: (node) =>
    listOf([{ blocks: node.reading.blocks(node.content), checked: checkedOf(node, node) }], false, 1),
  'image img inlineimage imageblock blockimage simpleimage resizableimage imageresize media mediainline mainimage picture imagewithcaption imagewithalt':
    (node) => readMedia(node, 'image'),
  'figure imagefigure captionedimage mediasingle mediagroup': readFigure,
  'gallery imagegallery carousel slideshow': readGallery,
  video: (node) => readMedia(node, 'video'),
  'audio audioplayer': (node) => readMedia(node, 'audio'),
  'file attachment attaches download pdf': (node) => readMedia(node, 'file'),
  upload: (node) => readMedia(node, undefined),
  'embed iframe embedcard youtube youtubeembed vimeo videoembed twitch twitter tweet instagram spotify soundcloud codepen':
    readEmbed,
  'bookmark linktool linkpreview blockcard': readBookmark,
  'button anybutton cta'(node) {
    const url = node.address('url', 'href', 'link', 'buttonUrl')
    if (url === '') return undefined
    const names = ['label', 'text', 'buttonText', 'title', 'description']
    const { text: words, others } = flatten(node.blocks(...names))
    const text = plain(words)
    const more = node.unread(names).flatMap((name) => node.member(name))
    const above = more.filter(({ content }) => plain(content) !== text)
    return [...above, { type: 'buttons', buttons: [{ text: text || url, url }] }, ...others]
  },
  table: readTable,
  'details detailsblock expand nestedexpand toggle collapsible collapsiblecontainer accordionitem faqitem':
    readDetails,
  'panel callout alert admonition warning banner infobox note'(node) {
    const kind = node.said('panelType', 'type', 'kind', 'variant', 'style', 'tone', 'level') || node.type
    const title = plain(node.running('title', 'heading', 'calloutEmoji').text)
    const content = node.blocks(...bodyNames, 'calloutText')
    return content.length === 0 && title === '' ? undefined : [calloutOf(kind, title, content)]
  },
  'layoutsection layoutcontainer columns columnlist columnblock twocolumns'(node) {
    const { reading, content } = node
    const members = elementsOf(node.first('columns', 'cols'))
    const columns = [
      ...content.map((column) => reading.blocks([column])),
      ...members.map((column) => reading.value(column)),
    ]
    return [{ type: 'columns', columns }]
  },
  'math latex blockmath mathblock mathdisplay displaymath blockequation equation equationblock': (node) => [
    formulaOf(node),
  ],
  'markdown markdownblock': (node) =>
    node.reading.html(markdownToHtml(node.said('markdown', 'content', 'text', 'value', 'body'))),
  'html htmlembed rawhtml raw': (node) => node.reading.html(node.said('html', 'code', 'value', 'content')),
})

function readParagraph(node: TreeNode): WireBlock[] {
  const align = alignOf(node)
  const found = node.content.length > 0 ? node.reading.paragraphs(node) : node.member('text')
  return found.map((block) => (block.type === 'paragraph' ? { ...block, ...filled({ align }) } : block))
}

function readHeading(node: TreeNode): WireBlock[] {
  const written = node.said('level') || /[1-6]$/.exec(node.said('tag') || node.type)?.[0]
  const level = Math.min(6, Math.max(1, Math.trunc(Number(written)) || 2))
  const { text, others } = node.content.length > 0 ? node.reading.running(node) : node.running('text')
  const named = filled({ anchor: node.said('anchor', 'id'), align: alignOf(node) })
  const heading = { type: 'heading', level, text, ...named }
  return [...(isBlank(text) ? [] : [heading]), ...others]
}

function readQuote(node: TreeNode): WireBlock[] | undefined {
  const content = node.blocks('quote', ...bodyNames)
  const cited = node.running('citation', 'author', 'cite', 'attribution', 'caption', 'source', 'name')
  if (content.length === 0 && isBlank(cited.text)) return node.hasOwnMembers ? undefined : []
  const align = alignOf(node)
  const named = filled({ citation: cited.text, align: align === 'left' ? undefined : align })
  return [{ type: 'quote', content, ...named }, ...cited.others]
}

const alignments = byName({
  'left start align-start wrap-left': 'left',
  'right end align-end wrap-right': 'right',
  center: 'center',
  justify: 'justify',
  wide: 'wide',
  'full full-width': 'full',
})

const alignNames = 'textAlign align dataAlign alignment cardWidth position layout float format'.split(' ')

const alignOf = (node: TreeNode): string | undefined => {
  const mark = node.marks.find(({ name }) => name === 'alignment')
  return alignments.get((node.said(...alignNames) || scalarText(mark?.attrs?.align)).toLowerCase())
}

// ---- Lists

/** A list may stand beside the item that it belongs to, or in an item of its own after it. */
function readList(node: TreeNode): WireBlock[] {
  const { reading } = node
  const found: { blocks: WireBlock[]; checked: boolean | undefined }[] = []
  for (const value of node.content) {
    const child = reading.node(value)
    const blocks = reading.blocks(itemTypes.has(child.type) ? child.content : [value])
    const last = found.at(-1)
    if (last !== undefined && blocks.length > 0 && blocks.every(({ type }) => type === 'list'))
      last.blocks.push(...blocks)
    else found.push({ blocks, checked: checkedOf(child, node) })
  }
  const isOrdered =
    node.type === 'orderedlist' || node.said('listType') === 'number' || node.said('tag') === 'ol'
  return listOf(found, isOrdered, node.first('start', 'order'))
}

function checkedOf({ type, attrs }: TreeNode, list: TreeNode): boolean | undefined {
  const isTask =
    list.attrs.listType === undefined
      ? itemTypes.has(type) && !/^(?:list|decision)item$/.test(type)
      : list.attrs.listType === 'check'
  if (!isTask && (list.attrs.listType !== undefined || typeof attrs.checked !== 'boolean')) return undefined
  return attrs.checked === true || attrs.done === true || attrs.state === 'DONE'
}

// ---- Pictures, files, and pages of others

type Kind = 'image' | 'video' | 'audio' | 'file'

function kindOf(node: TreeNode, url: string): Kind {
  const mimeType = node.said('mimeType', 'contentType')
  const isOf = (kind: 'image' | 'video' | 'audio') =>
    mimeType === '' ? hasExtension(url, kind) : mimeType.startsWith(`${kind}/`)
  return (['image', 'video', 'audio'] as const).find(isOf) ?? 'file'
}

/** A picture, a recording or a file, with its caption; where it has no address, what is said of it. */
export function readMedia(node: TreeNode, known: Kind | undefined): WireBlock[] {
  const isPicture = known === 'image'
  const url = node.address(...(isPicture ? ['src', 'url', 'fileSrc', 'imageUrl', 'image'] : playerNames))
  const shown = node.attrs.showCaption === false ? [] : node.blocks('caption', 'fileCaption')
  const { text: caption, others } = flatten(shown)
  const alt = node.said('alt', 'altText', 'alternativeText')
  const title = node.said('title', 'fileTitle')
  if (url !== '') node.ignore('image', 'file')
  node.ignore(...alignNames, ...mediaSettings)
  if (url === '') {
    const named = [alt, title, ...fileNames.map((name) => node.said(name))].filter((name) => name !== '')
    const said = named.length === 0 ? '' : `: ${[...new Set(named)].join(', ')}`
    node.reading.warnings.leftOut(`“${node.name}” has no address and is left out${said}.`)
    return shown
  }
  const kind = known ?? kindOf(node, url)
  const [spoken, unsaid] = isBlank(caption) ? [lines(title), ''] : [caption, title]
  const isFilm = kind === 'video' && providerOf(pageOf(url)) === undefined
  if (unsaid !== '' && (kind === 'video' || kind === 'audio') && !isFilm) node.leaveOut('title', 'fileTitle')
  return [...blocksOfFile(), ...others]

  function blocksOfFile(): WireBlock[] {
    switch (kind) {
      case 'image': {
        if (!node.hasOwnMembers) node.leaveOut('source', 'copyright', 'credit')
        const [width, height] = [node.said('width'), node.said('height')]
        const linked = node.marks.find(({ link }) => link !== undefined)?.link?.url
        const link = node.address('href', 'link') || scalarText(linked)
        const align = node.first('stretched') === true ? 'full' : alignOf(node)
        const hover = title === alt ? '' : title
        return [imageOf({ url, alt, caption, title: hover, link, width, height, align })]
      }
      case 'video': {
        if (!isFilm) return [embedOf(url, spoken)]
        const poster = node.address('poster', 'customThumbnailSrc', 'thumbnailSrc')
        return [{ type: 'video', url, ...filled({ caption: spoken, poster, title: unsaid }) }]
      }
      case 'audio':
        node.leaveOut('thumbnailSrc')
        return [{ type: 'audio', url, ...filled({ caption: spoken }) }]
      default: {
        const text = plain(node.running('title', 'fileTitle', 'label', 'text', 'name').text)
        const name = node.said('filename', 'fileName', 'originalFilename')
        const below = isBlank(caption) ? [] : [paragraph(caption)]
        return [{ type: 'file', url, text: text || name || fileName(url) }, ...below]
      }
    }
  }
}

const captions = new Set(['caption', 'figcaption', 'imagecaption', 'tablecaption'])

/** Pictures with a caption in a node of its own. */
function readFigure(node: TreeNode): readonly WireBlock[] {
  const { reading } = node
  if (node.content.length === 0 || node.said('src') !== '') return readMedia(node, 'image')
  const isCaption = (value: unknown) => captions.has(reading.node(value).type)
  const content = reading.blocks(node.content.filter((value) => !isCaption(value)))
  const words = node.content.filter(isCaption).flatMap((value) => reading.blocks(reading.node(value).content))
  const { text, others } = flatten(words)
  const [picture, ...more] = content
  if (picture === undefined || content.some(({ type }) => type !== 'image')) return [...content, ...words]
  if (more.length === 0)
    return [{ ...picture, ...filled({ caption: text, align: alignOf(node) }) }, ...others]
  return [...(isBlank(text) ? content : [{ type: 'gallery', images: content, caption: text }]), ...others]
}

function readGallery(node: TreeNode): WireBlock[] | undefined {
  const { reading } = node
  const files = elementsOf(node.first('images', 'items', 'slides', 'files', 'urls'))
  if (files.length === 0) return undefined
  const found = files.flatMap((file) => {
    if (typeof file === 'string') return [imageOf({ url: file, alt: '' })]
    const isTyped = reading.node(file).type !== ''
    return isTyped ? reading.blocks([file]) : readMedia(reading.untyped(file), 'image')
  })
  const images = found.filter(({ type }) => type === 'image')
  const { text: caption, others } = node.running('caption', 'title')
  node.ignore('columns')
  const gallery = { type: 'gallery', images, ...filled({ caption }) }
  const rest = found.filter(({ type }) => type !== 'image')
  return [...(images.length === 0 ? [paragraph(caption)] : [gallery]), ...rest, ...others]
}

/** A page to embed, which some formats name by its number alone. */
function readEmbed(node: TreeNode): readonly WireBlock[] | undefined {
  const page = pagesById[node.type.replace(/embed$/, '').replace('tweet', 'twitter')]
  const id = page === undefined ? '' : node.said('videoId', 'videoID', 'tweetId', 'postId', 'id')
  const url = node.address(...playerNames) || (id === '' ? '' : page?.(id))
  if (!url) return node.said('html') === '' ? undefined : node.reading.html(node.said('html'))
  const { text, others } = flatten(node.blocks('caption', 'title'))
  node.ignore('embed', 'service', 'width', 'height')
  return [embedOf(url, text), ...others]
}

function readBookmark(node: TreeNode): WireBlock[] | undefined {
  const { reading } = node
  const url = node.address('url', 'link')
  if (url === '') return undefined
  const page = reading.untyped(node.first('metadata', 'meta'))
  const picture = page.address('thumbnail') || reading.untyped(page.first('image')).address('url')
  const title = page.running('title').text
  const about = ['description', 'site_name', 'author', 'publisher'].flatMap((name) => page.member(name))
  if (about.length > 0) reading.warnings.changed('A bookmark becomes a link with its title and description.')
  return [
    ...(picture === '' ? [] : [imageOf({ url: picture, alt: '', link: url })]),
    paragraph([link(url, isBlank(title) ? url : title)]),
    ...about,
    ...node.member('caption'),
  ]
}

// ---- Tables and details

const isCell = /^(?:table)?(?:cell|header|headercell|cellheader)$/
const cellNames = ['value', 'content', 'text', 'children']

function readTable(node: TreeNode): WireBlock[] {
  const { reading } = node
  const rows: (readonly unknown[])[] = []
  const around: WireBlock[] = []
  const visit = (values: readonly unknown[]): void => {
    for (const value of values) {
      const child = reading.node(value)
      if (/^(?:table)?row$/.test(child.type))
        rows.push([...child.content, ...elementsOf(child.first('cells'))])
      else if (captions.has(child.type)) around.push(...reading.blocks(child.content))
      else if (/^(?:table)?(?:head|body|foot|header|footer)$/.test(child.type)) visit(child.content)
      else around.push(...reading.blocks([value]))
    }
  }
  visit(node.content)
  if (node.content.length === 0) {
    const written = node.first('rows', 'table', 'content')
    for (const row of Array.isArray(written) ? written : elementsOf(membersOf(written).rows)) {
      const cells = Array.isArray(row) ? row : membersOf(row).cells
      rows.push(Array.isArray(cells) ? cells : [row])
    }
  }
  if (rows.length === 0 && around.length === 0) return []
  const said = node.first('hasHeader', 'headerRow', 'withHeadings', 'has_column_header', 'headerRows')
  const headers = said === true ? 1 : Number(scalarText(said))
  const hasHeaders = node.first('has_row_header') === true
  const cells = rows.map((row, at) =>
    row.map((value, column) => readCell(value, at < headers || (hasHeaders && column === 0), node)),
  )
  const { text, others } = flatten([...around, ...node.member('caption', 'title')])
  const hasHeader = cells[0]?.every(({ isHeader }) => isHeader) === true
  const table = {
    headers: hasHeader ? cells[0] : [],
    rows: hasHeader ? cells.slice(1) : cells,
    caption: text,
  }
  return [...tableOf(table, reading.warnings), ...others]
}

function readCell(value: unknown, isHeader: boolean, { reading }: TreeNode): ForeignCell {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { blocks: reading.value(value), isHeader }
  const cell = reading.node(value)
  const spans = {
    colspan: cell.first('colspan', 'colSpan'),
    rowspan: cell.first('rowspan', 'rowSpan'),
    align: alignOf(cell),
  }
  const isOther = isKnown(cell.type) || (cell.content.length > 0 && !isCell.test(cell.type))
  const words = isOther ? reading.blocks([value]) : cell.blocks(...cellNames)
  return {
    blocks: [...words, ...(cell.hasOwnMembers && !isOther ? cell.rest() : [])],
    isHeader: isHeader || cell.type.includes('header') || Number(scalarText(cell.attrs.headerState)) > 0,
    ...spans,
  }
}

function readDetails(node: TreeNode): WireBlock[] | undefined {
  const { reading } = node
  const isTitle = (value: unknown) => /summary$|title$/.test(reading.node(value).type)
  const titles = node.content.filter(isTitle).flatMap((value) => reading.blocks(reading.node(value).content))
  const named =
    titles.length > 0 ? titles : node.member(...titleNames, ...(node.type === 'toggle' ? ['text'] : []))
  const { text: summary, others } = flatten(named)
  const words = node.content.filter((value) => !isTitle(value))
  const inner = words.length > 0 ? reading.blocks(words) : node.member('answer', ...node.unread(bodyNames))
  if (isBlank(summary) && inner.length === 0) return undefined
  const isOpen = node.first('open') === true || node.first('status') === 'open'
  return [{ type: 'details', summary, content: [...others, ...inner], ...(isOpen ? { open: true } : {}) }]
}
