import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'

export interface Separator {
  type: 'separator'
}

export const separator: BlockDefinition<Separator> = {
  type: 'separator',
  aliases: ['hr', 'divider', 'delimiter', 'thematic_break', 'horizontal_rule', 'rule'],
  names: {},
  description: 'A line between two parts of the text.',
  example: {},
  shape: () => ({}),
  read: () => [{ type: 'separator' }],
  render: {
    block: () => blockMarkup('separator', {}, '<hr class="wp-block-separator has-alpha-channel-opacity"/>'),
    classic: () => '<hr />',
  },
  parts: () => [],
}
