/** What `script-loader-packages.php` is made of: nested `array(…)` literals of quoted strings. */
export type PhpValue = string | PhpValue[] | { [key: string]: PhpValue }

const token = /'((?:[^'\\]|\\.)*)'|(array\s*\()|(\))|(=>)|(,)|(\s+)/y

/**
 * Reads a PHP file that returns one array literal, so that WordPress's own list of script dependencies can
 * be used where no PHP is installed.
 * @throws Error naming the offset, where the file holds anything but strings and arrays.
 */
export function parsePhpArray(source: string): PhpValue {
  const start = source.indexOf('return') + 'return'.length
  const tokens: string[] = []
  token.lastIndex = start
  while (token.lastIndex < source.length && source[token.lastIndex] !== ';') {
    const at = token.lastIndex
    const match = token.exec(source)
    if (match === null)
      throw new Error(`not an array of strings at offset ${at}: ${source.slice(at, at + 40)}`)
    const [, text, open, close, arrow, comma] = match
    if (text !== undefined) tokens.push(`'${text.replace(/\\(.)/g, '$1')}`)
    else if (open) tokens.push('(')
    else if (close || arrow || comma) tokens.push(close ?? arrow ?? ',')
  }
  return readValue(tokens.values())
}

function readValue(tokens: Iterator<string, undefined>, first = tokens.next().value): PhpValue {
  if (first?.startsWith("'")) return first.slice(1)
  if (first !== '(') throw new Error(`expected a string or an array, got ${first ?? 'the end'}`)
  const list: PhpValue[] = []
  const map: { [key: string]: PhpValue } = {}
  let key: string | undefined
  for (let next = tokens.next().value; next !== ')'; next = tokens.next().value) {
    if (next === undefined) throw new Error('an array is not closed')
    if (next === ',') continue
    if (next === '=>') {
      key = String(list.pop())
      map[key] = readValue(tokens)
    } else list.push(readValue(tokens, next))
  }
  return key === undefined ? list : map
}
