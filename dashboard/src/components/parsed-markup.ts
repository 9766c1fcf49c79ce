/** A tag, whatever stands in the quotes in it. */
const tag = /<[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/gi

/** A quoted value, or the name of a `style`. */
const quotedOrStyle = /"[^"]*"|'[^']*'|\sstyle(?=\s*=)/gi

/**
 * The elements of a post's markup. Nothing of it runs or loads. The policy of the page applies to its `style` attributes too, which
 * therefore have another name: `data-style`.
 */
export function parsedMarkup(markup: string): HTMLElement {
  const unstyled = markup.replaceAll(tag, (one) =>
    one.replaceAll(quotedOrStyle, (part) => (/^["']/.test(part) ? part : ' data-style')),
  )
  return new DOMParser().parseFromString(unstyled, 'text/html').body
}
