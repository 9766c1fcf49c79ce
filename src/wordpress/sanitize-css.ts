import { TokenType, tokenizer } from '@csstools/css-tokenizer'

/** Rules with an at-sign that can neither load nor define anything from elsewhere. All others go. */
const allowedAtRules = new Set([
  'media',
  'supports',
  'layer',
  'container',
  'scope',
  'starting-style',
  'property',
  'keyframes',
  '-webkit-keyframes',
])

/** Functions that load something or, in browsers of old, ran something. */
const loadingFunctions = new Set([
  'url',
  'src',
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
  '-webkit-cross-fade',
  'element',
  '-moz-element',
  'paint',
  'expression',
])

/** Broken tokens after which no more is read: each costs a hundred times what anything else does. */
const MAX_BROKEN_TOKENS = 200

/** Brackets in brackets; real style sheets have eight. What is deeper goes. */
const MAX_BRACKET_DEPTH = 32

const closers: Readonly<Record<string, string>> = {
  [TokenType.OpenCurly]: '}',
  [TokenType.OpenParen]: ')',
  [TokenType.OpenSquare]: ']',
  [TokenType.Function]: ')',
}
const closing = new Set<string>([TokenType.CloseCurly, TokenType.CloseParen, TokenType.CloseSquare])
const dropped = new Set<string>([
  TokenType.Comment,
  TokenType.CDO,
  TokenType.CDC,
  TokenType.BadString,
  TokenType.BadURL,
])

/** A style sheet without what a browser would fetch or run, read token by token in linear time; all that is open is ended. */
export function sanitizeCss(css: string): string {
  const tokens = tokenizer({ css: css.replaceAll('\0', '\uFFFD') })
  const out: string[] = []
  /** What closes what is open, the innermost last. */
  const unclosed: string[] = []

  let broken = 0
  const next = () => {
    const token = tokens.nextToken()
    const isBroken = token[0] === TokenType.BadString || token[0] === TokenType.BadURL || token[1] === '\\'
    if (isBroken) broken += 1
    return token
  }

  /** Goes past a block whose opening bracket was just read. */
  const passBlock = (closer: string) => {
    const inside = [closer]
    while (inside.length > 0 && !tokens.endOfFile() && broken < MAX_BROKEN_TOKENS) {
      const token = next()
      const opened = closers[token[0]]
      if (opened !== undefined) inside.push(opened)
      else if (closing.has(token[0]) && token[1] === inside.at(-1)) inside.pop()
    }
  }
  /** Goes past a rule with an at-sign: to its semicolon, its block, or the end of what it stands in. */
  const passRule = () => {
    while (!tokens.endOfFile() && broken < MAX_BROKEN_TOKENS) {
      const token = next()
      if (token[0] === TokenType.Semicolon) return
      const opened = closers[token[0]]
      if (opened !== undefined) passBlock(opened)
      if (token[0] === TokenType.OpenCurly) return
      if (token[0] === TokenType.CloseCurly && unclosed.at(-1) === '}') return end('}')
    }
  }
  /** One that closes nothing is left out, as a browser does. */
  const end = (bracket: string) => {
    out.push(unclosed.at(-1) === bracket ? (unclosed.pop() as string) : ' ')
  }

  while (!tokens.endOfFile() && broken < MAX_BROKEN_TOKENS) {
    const token = next()
    const [type, raw] = token
    const opened = closers[type]
    // What is left out leaves a space: what stood on both sides of it must not become one word.
    if (dropped.has(type)) out.push(' ')
    else if (type === TokenType.AtKeyword && !allowedAtRules.has(lowered(token))) {
      out.push(' ')
      passRule()
    } else if (type === TokenType.URL) out.push(' none ')
    else if (type === TokenType.String) out.push(quoted(meaningOf(token)))
    else if (opened !== undefined) {
      const fetching = type === TokenType.Function && loadingFunctions.has(lowered(token))
      if (fetching || unclosed.length === MAX_BRACKET_DEPTH) {
        out.push(fetching ? ' none ' : ' ')
        passBlock(opened)
      } else {
        out.push(raw)
        unclosed.push(opened)
      }
    } else if (closing.has(type)) end(raw)
    else if (type !== TokenType.EOF) out.push(raw)
  }
  return `${out.join('')}\n${unclosed.reverse().join('')}{}\n`
}

type Token = ReturnType<ReturnType<typeof tokenizer>['nextToken']>

const meaningOf = (token: Token): string => (token[4] as { value: string }).value
const lowered = (token: Token): string => meaningOf(token).toLowerCase()

/** With all that could end it as an escape: one that its style sheet left open ends here. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\\n\r\f<]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`
