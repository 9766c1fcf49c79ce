/** After these a reader sees a new line. */
const BLOCKS = new Set(
  'P H1 H2 H3 H4 H5 H6 LI UL OL BLOCKQUOTE PRE FIGURE FIGCAPTION TABLE TR TD TH DIV HR BR DETAILS SUMMARY'.split(
    ' ',
  ),
)

/** What a reader sees of a post's markup, a line for each block. Nothing of it is loaded or run. */
export function readable(markup: string): string {
  const { body } = new DOMParser().parseFromString(markup, 'text/html')
  return textOf(body)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n\n')
}

function textOf(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? '').replaceAll('\n', ' ')
  if (!(node instanceof Element)) return ''
  if (node.tagName === 'IMG') return ` [${node.getAttribute('alt') || node.getAttribute('src')}] `
  if (['SCRIPT', 'STYLE'].includes(node.tagName)) return ''
  const text = [...node.childNodes].map(textOf).join('')
  return BLOCKS.has(node.tagName) ? `\n${text}\n` : text
}
