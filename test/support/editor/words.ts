/** Elements whose edges part words: a reader sees a line or a cell begin there. */
const partsWords = new Set(
  'P H1 H2 H3 H4 H5 H6 UL OL LI TABLE CAPTION THEAD TBODY TR TH TD FIGURE FIGCAPTION PRE BLOCKQUOTE CITE BR DIV'.split(
    ' ',
  ),
)
const notShown = new Set(['SCRIPT', 'STYLE', 'TEMPLATE'])

/** The words a reader sees under `root`, in reading order. */
export const visibleWords = (root: Node): string[] =>
  shownText(root)
    .split(/\s+/u)
    .filter((word) => word !== '')

function shownText(node: Node): string {
  if (node.nodeType === node.TEXT_NODE) return node.nodeValue ?? ''
  if (notShown.has(node.nodeName)) return ''
  let text = ''
  for (let child = node.firstChild; child !== null; child = child.nextSibling) text += shownText(child)
  return partsWords.has(node.nodeName) ? ` ${text} ` : text
}
