import type { Inline } from '../../contract/tree.ts'
import { beginning } from '../../text.ts'
import { escapeAttribute } from '../escape.ts'
import type { State } from '../state.ts'
import { anchorName, leadsOutside, linkUrl } from '../url.ts'
import { type InlineHandler, wrap } from '../within.ts'

/** Where a link leads, or `undefined` where its address is not safe. */
export const linkTarget = ({ href }: { href: string }): string | undefined =>
  href.startsWith('#') ? `#${anchorName(href.slice(1))}` : linkUrl(href)

/** A link; the text alone where its address is not safe, or where it stands inside another link. */
export const link: InlineHandler<Extract<Inline, { type: 'link' }>> = (node, html, state, within) => {
  if (within.link) return html
  const href = linkTarget(node)
  if (href === undefined) {
    state.warn('link_unsafe', `A link to "${beginning(node.href, 80)}" was left out and its text kept.`)
    return html
  }
  const title = node.title ? ` title="${escapeAttribute(node.title)}"` : ''
  return wrap(`<a href="${escapeAttribute(href)}"${title}${outsideAttributes(href, state)}>`, html, '</a>')
}

function outsideAttributes(href: string, { settings, siteOrigin }: State): string {
  if (!settings.outside_links_in_new_tab && settings.outside_link_rel.length === 0) return ''
  if (!leadsOutside(href, siteOrigin)) return ''
  const target = settings.outside_links_in_new_tab ? ' target="_blank"' : ''
  const rel = new Set(settings.outside_links_in_new_tab ? ['noreferrer', 'noopener'] : [])
  for (const word of settings.outside_link_rel) rel.add(word)
  return `${target} rel="${[...rel].join(' ')}"`
}
