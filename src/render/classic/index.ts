import type { Format } from '../format.ts'
import { audio } from './audio.ts'
import { codeBlock } from './code-block.ts'
import { heading } from './heading.ts'
import { image } from './image.ts'
import { list } from './list.ts'
import { paragraph } from './paragraph.ts'
import { quote } from './quote.ts'
import { table } from './table.ts'

/** HTML for sites without the block editor: one block a line, which `wpautop` leaves as it is. */
export const classic = {
  handlers: { heading, paragraph, list, table, code_block: codeBlock, image, quote, audio },
  more: '<!--more-->',
} satisfies Format
