/** Elements that stand for themselves, as models write them into a text out of habit. */
const blockTag =
  /<(\/?)(p|div|h[1-6]|ul|ol|li|blockquote|br|hr|table|thead|tbody|tr|t[hd])(?:\s[^<>]{0,500})?\/?>/gi

/** Lists inside each other that are told apart: spaces for each level would make megabytes of a text of nothing but levels. */
const DEEPEST = 10

const comment = /<!--[^<>]{0,2000}-->/g

/** As Markdown, lines and all. What stands in code is left as it is. */
export const markdownOfHtml = (text: string): string =>
  text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? piece : converted(piece)))
    .join('`')

function converted(piece: string): string {
  const text = piece.replace(comment, '')
  if (!/<\/(?:p|div|h[1-6]|ul|ol|li|blockquote|t[hd])\s?>|<[bh]r\s?\/?>/i.test(text)) return text
  const lists: string[] = []
  let inCell = false
  return text.replace(blockTag, (_, slash: string, written: string) => {
    const name = written.toLowerCase()
    const closes = slash !== ''
    if (inCell && !/^t/.test(name)) return ' '
    if (name === 'ul' || name === 'ol') {
      if (closes) lists.pop()
      else lists.push(name)
      // Inside of another it goes on with that.
      return lists.length > (closes ? 0 : 1) ? '\n' : '\n\n'
    }
    const inner = '  '.repeat(Math.min(DEEPEST, Math.max(0, lists.length - 1)))
    if (name === 'li') return closes ? '' : `\n${inner}${lists.at(-1) === 'ol' ? '1.' : '-'} `
    if (/^h[1-6]$/.test(name)) return closes ? '\n\n' : '\n\n## '
    if (name === 'tr') return closes ? '' : '\n| '
    if (name === 'td' || name === 'th') {
      inCell = !closes
      return closes ? ' | ' : ''
    }
    if (name === 'thead' || name === 'tbody') return ''
    // Within an item or a cell a paragraph is none of its own.
    if (lists.length > 0 && name === 'p') return ' '
    return name === 'br' ? '\n' : '\n\n'
  })
}
