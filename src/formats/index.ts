import { contentful } from './contentful.ts'
import { editorjs } from './editorjs.ts'
import type { FormatAdapter } from './format.ts'
import { html } from './html.ts'
import { lexical } from './lexical.ts'
import { markdown } from './markdown.ts'
import { notion } from './notion.ts'
import { portableText } from './portable-text.ts'
import { prosemirror } from './prosemirror.ts'

/** The foreign formats that are read, those with the surest signature first: any string may be Markdown. */
export const formats: readonly FormatAdapter[] = [
  contentful,
  notion,
  editorjs,
  portableText,
  prosemirror,
  lexical,
  html,
  markdown,
]
