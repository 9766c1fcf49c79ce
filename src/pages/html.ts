import { escapeUTF8 } from 'entities'

/** HTML that is safe to send: made by {@link html}, which escapes every text put into it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | Part[]

/** A template of HTML. Texts and numbers in it are escaped, pieces of HTML and lists of them are not. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(
    strings.map((text, index) => (index === 0 ? text : written(parts[index - 1] ?? '') + text)).join(''),
  )

/** Nothing, where a piece may be missing. */
export const nothing = new Html('')

function written(part: Part): string {
  if (Array.isArray(part)) return part.map(written).join('')
  return part instanceof Html ? part.text : escapeUTF8(String(part))
}
