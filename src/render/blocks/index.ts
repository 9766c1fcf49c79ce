import type { Format } from '../format.ts'
import { audio } from './audio.ts'
import { codeBlock } from './code-block.ts'
import { heading } from './heading.ts'
import { image } from './image.ts'
import { list } from './list.ts'
import { paragraph } from './paragraph.ts'
import { quote } from './quote.ts'
import { table } from './table.ts'

/** Markup of the block editor, byte for byte as it saves the same blocks. */
export const blocks = {
  handlers: { heading, paragraph, list, table, code_block: codeBlock, image, quote, audio },
  more: '<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->',
} satisfies Format
