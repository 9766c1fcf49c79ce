/** A sign, a text that may break off, a number or a word. */
const TOKEN = /\s*([{}[\]:,]|"(?:[^"\\\p{Cc}]|\\.)*["\\]?|[-+.\w]+)/uy

/** What may come next. */
type Next = 'value' | 'item' | 'key' | 'member' | 'colon' | 'more'

/** What may come after a bracket that opens: `item` and `member` let it close at once. */
const INSIDE: Record<string, Next> = { '[': 'item', '{': 'member' }
const OPENS: Record<string, string> = { ']': '[', '}': '{' }
const ENDS: ReadonlySet<Next> = new Set(['item', 'member', 'more'])
const VALUES: ReadonlySet<Next> = new Set(['value', 'item'])
const KEYS: ReadonlySet<Next> = new Set(['key', 'member'])

/**
 * How far a JSON text that begins at `start` reads as one: to the end of `text` where it broke off there, or else to what
 * cannot stand in JSON. What lies in between is a part of it.
 */
export function endOfBeginning(text: string, start: number): number {
  const open: string[] = []
  let next: Next | null = 'value'
  let read = start
  TOKEN.lastIndex = start
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    next = after(found[1] ?? '', next, open)
    if (next === null) return read
    read = TOKEN.lastIndex
  }
  return text.slice(read).trim() === '' ? text.length : read
}

/** What may come after this token, or null where it could not come. */
function after(token: string, next: Next, open: string[]): Next | null {
  const kind = token.charAt(0)
  const inside = INSIDE[kind]
  if (inside !== undefined) {
    open.push(kind)
    return VALUES.has(next) ? inside : null
  }
  if (kind in OPENS) return ENDS.has(next) && open.pop() === OPENS[kind] && open.length > 0 ? 'more' : null
  if (kind === ',') return next !== 'more' ? null : open.at(-1) === '{' ? 'key' : 'value'
  if (kind === ':') return next === 'colon' ? 'value' : null
  if (KEYS.has(next)) return kind === '"' ? 'colon' : null
  return VALUES.has(next) ? 'more' : null
}
