import { createHash } from 'node:crypto'
import { z } from 'zod'
import { truncate } from '../../lib/text.ts'
import { isBlankHtml } from '../../render/context.ts'
import {
  blockMarkup,
  escapeAttribute,
  escapeBlockAttribute,
  escapeText,
  safeFileUrl,
} from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { paragraphMarkup } from '../paragraph/index.ts'
import { addressOf, collapseToLine, fileName, plainText, textNames } from '../wire.ts'

export interface File {
  type: 'file'
  url: string
  text: string
}

export const file: BlockDefinition<File, 'url' | 'text'> = {
  type: 'file',
  aliases: 'attachment download pdf document_file file_download downloadable_file attaches'.split(' '),
  names: {
    url: ['url', 'src', 'href', 'file_url', 'fileUrl', 'file', 'link', 'download_url', 'downloadUrl'],
    text: [...textNames, 'title', 'name', 'label', 'filename', 'file_name', 'fileName', 'caption'],
  },
  description:
    'A file to download, which is fetched and uploaded to the site. One that the site does not take stays a link to its address, with a warning.',
  example: { url: 'https://example.com/tide-table.pdf', text: 'The tide table of 2027' },
  shape: () => ({
    url: z.string().describe('A full address, http or https.'),
    text: z.string().describe('The words of the link to it.'),
  }),
  read: ({ url, text }, reading) => {
    const address = addressOf(url)
    const words = collapseToLine(plainText(text))
    if (address !== undefined) return [{ type: 'file', url: reading.file('url', address), text: words }]
    reading.warn('block_left_out', 'a file has no address; what it says is kept')
    return words === '' ? [] : [{ type: 'paragraph', content: [{ type: 'text', text: words }] }]
  },
  render: {
    block: (file, context) => {
      const { url } = file
      const media = context.media.get(url)
      const href = safeFileUrl(media?.url ?? url)
      const words = escapeText(wordsOf(file)).trim()
      if (media === undefined || href === undefined)
        return paragraphMarkup.block(linkTo(context.hidden?.has(url) ? undefined : href, words))
      // The word of its button would be English on every site.
      const attributes = { id: media.id, href, showDownloadButton: false }
      const id = `wp-block-file--media-${fileId(url)}`
      const named = `<a id="${id}" href="${escapeBlockAttribute(href)}">${words}</a>`
      return blockMarkup('file', attributes, `<div class="wp-block-file">${named}</div>`)
    },
    classic: (file, context) => {
      const { url } = file
      const href = context.hidden?.has(url) ? undefined : safeFileUrl(context.media.get(url)?.url ?? url)
      return paragraphMarkup.classic(linkTo(href, escapeText(wordsOf(file)).trim()))
    },
  },
  parts: (file) => [[{ type: 'text', text: wordsOf(file) }]],
  files: (file) => {
    const words = truncate(wordsOf(file), 200)
    return [{ kind: 'file', url: file.url, alt: words, title: words }]
  },
}

/** Nobody sees a link without visible words, nor the file behind it. */
const wordsOf = ({ url, text }: File): string => (isBlankHtml(escapeText(text)) ? fileName(url) : text)

const linkTo = (href: string | undefined, words: string): string =>
  href === undefined || words === '' ? words : `<a href="${escapeAttribute(href)}">${words}</a>`

/** In the place of the random UUID of the editor: the same file has the same in every rendering. */
const fileId = (url: string): string =>
  createHash('sha256')
    .update(url)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
