import { z } from 'zod'
import { truncate } from '../../lib/text.ts'
import { type RenderContext, wrapFormat } from '../../render/context.ts'
import { escapeAttribute, isExternalUrl, safeAnchor, safeLinkUrl } from '../../render/escape.ts'
import type { InlineDefinition } from '../define.ts'
import { withoutReferences } from '../footnotes/render.ts'
import type { Inline } from '../index.ts'
import type { Reading } from '../read.ts'
import { firstTextMember, plainText, strayAddress, textMember, type WireObject } from '../wire.ts'

interface Link {
  type: 'link'
  href: string
  title?: string
  /** Where another link leads to this one. */
  anchor?: string
  children: Inline[]
}

/** The address of an item, which any item may have: `{"text": "x", "url": "…"}`. */
export const targetOf = (wire: WireObject): string | undefined =>
  wire.url === undefined && wire.href === undefined
    ? undefined
    : firstTextMember(wire, ['url', 'href'])?.trim()

/** A link around inline content; its address is shown where there are no words. */
export function linkTo(wire: WireObject, href: string, children: Inline[], reading: Reading): Inline {
  // A title is the text where there is no other.
  const title = wire.title === undefined || textMember(wire) === undefined ? '' : plainText(wire.title).trim()
  const isBlank = children.every((inline) => inline.type === 'text' && inline.text.trim() === '')
  return {
    type: 'link',
    href: reading.link('url', href),
    ...(title === '' ? {} : { title: reading.line('title', title) }),
    children: isBlank ? [{ type: 'text', text: href }] : children,
  }
}

/** The address that a link leads to; `undefined` where it is unsafe. */
export const safeTarget = ({ href }: Pick<Link, 'href'>): string | undefined =>
  href.startsWith('#') ? `#${safeAnchor(href.slice(1))}` : safeLinkUrl(href)

export const link: InlineDefinition<Link> = {
  type: 'link',
  aliases: ['a', 'hyperlink', 'anchor'],
  hasAddress: true,
  description:
    'A link. Where WordPress would not let its scheme through (`javascript:`, `data:`), only the words stay.',
  example: { url: 'https://example.com/tides', text: 'the tide tables', title: 'For a year' },
  shape: ({ inlines }) => ({
    url: z.string().describe('Where it leads; `#anchor` leads to a heading of the same document.'),
    text: inlines,
    title: z.string().optional().describe('Shown by browsers when the pointer rests on the link.'),
  }),
  read: (wire, reading) => {
    const href = targetOf(wire)
    if (href !== undefined) return [linkTo(wire, href, reading.contentOf(wire), reading)]
    const stray = strayAddress(wire)
    if (stray !== undefined) {
      const { [stray]: address, ...others } = wire
      return [linkTo(others, String(address).trim(), reading.contentOf(others), reading)]
    }
    reading.warn('link_without_target', 'a link has no address; its text is kept')
    return 'content'
  },
  /** A dropped link may contain another link. */
  opens: (node) => safeTarget(node) !== undefined,
  /** Only the text where the address is unsafe or the link is inside another. */
  render: (node, html, context, within) => {
    if (within.open.has('link')) return html
    const href = safeTarget(node)
    if (href === undefined) {
      context.warn('link_unsafe', `A link to "${truncate(node.href, 80)}" was left out and its text kept.`)
      return html
    }
    const title = node.title ? ` title="${escapeAttribute(node.title)}"` : ''
    const anchor = node.anchor ? ` id="${node.anchor}"` : ''
    const open = `<a href="${escapeAttribute(href)}"${title}${anchor}${externalLinkAttributes(href, context)}>`
    const [words, references] = withoutReferences(html)
    return wrapFormat(open, words, '</a>') + references
  },
}

/** ` target="_blank" rel="…"`, as the site's settings want it for addresses elsewhere. */
export function externalLinkAttributes(href: string, { settings, siteOrigin }: RenderContext): string {
  if (!settings.outside_links_in_new_tab && settings.outside_link_rel.length === 0) return ''
  if (!isExternalUrl(href, siteOrigin)) return ''
  const target = settings.outside_links_in_new_tab ? ' target="_blank"' : ''
  const rel = new Set(settings.outside_links_in_new_tab ? ['noreferrer', 'noopener'] : [])
  for (const word of settings.outside_link_rel) rel.add(word)
  return `${target} rel="${[...rel].join(' ')}"`
}
