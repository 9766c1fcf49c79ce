/** A tag, whatever stands in the quotes in it. It ends before another one begins: else many beginnings would take quadratic time. */
const tag = /<[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>/gi

/** A quoted value, or the name of a `style`. */
const quotedOrStyle = /"[^"]*"|'[^']*'|\sstyle(?=\s*=)/gi

/** The policy of the page applies to the `style` attributes of a post's markup too: they become `data-style`. */
export const renameStyles = (markup: string): string =>
  markup.replaceAll(tag, (one) =>
    one.replaceAll(quotedOrStyle, (part) => (/^["']/.test(part) ? part : ' data-style')),
  )

/** The elements of a post's markup. Nothing of it runs or loads. */
export const parsedMarkup = (markup: string): HTMLElement =>
  new DOMParser().parseFromString(renameStyles(markup), 'text/html').body
