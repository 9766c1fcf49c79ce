import { decodeHTML } from 'entities'
import temml from 'temml'
import { escapeText } from '../../render/escape.ts'

/** Bytes of markup for each character of LaTeX, and for the elements around it; what is longer stays LaTeX. */
export const MAX_MATHML_PER_CHARACTER = 100
export const CHARACTERS_AROUND_FORMULA = 10

/** Macros of a formula's own: a short one can stand for megabytes. */
const definesMacro = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand|global|long)(?![a-z])/i
const MAX_EXPANSIONS = { usual: 1_000, ownMacros: 20 }

/**
 * What stands in the `math` element of a formula, as the block editor writes it: by the same library, in the same version.
 * @param display whether it stands by itself
 * @returns `undefined` where the library does not understand the formula
 */
export function mathMl(latex: string, display: boolean): string | undefined {
  try {
    const markup = temml.renderToString(latex, {
      displayMode: display,
      annotate: true,
      throwOnError: true,
      maxExpand: definesMacro.test(latex) ? MAX_EXPANSIONS.ownMacros : MAX_EXPANSIONS.usual,
    })
    if (markup.length > (latex.length + CHARACTERS_AROUND_FORMULA) * MAX_MATHML_PER_CHARACTER)
      return undefined
    return asDomWrites(markup.slice(markup.indexOf('>') + 1, markup.lastIndexOf('<')))
  } catch {
    // Whatever it throws, a formula that is not LaTeX or that nests too deeply, says the same.
    return undefined
  }
}

/** The library escapes quotes in text too, which a browser does not. */
const asDomWrites = (markup: string): string =>
  markup.replace(/>[^<]+/g, (text) => `>${escapeText(decodeHTML(text.slice(1)))}`)
