import { z } from 'zod'
import type { BlockDefinition } from '../define.ts'

export interface Separator {
  type: 'separator'
}

export const separator: BlockDefinition<Separator> = {
  type: 'separator',
  aliases: ['hr', 'divider', 'delimiter', 'thematic_break', 'horizontal_rule', 'rule'],
  names: {},
  schema: () =>
    z.looseObject({ type: z.literal('separator') }).meta({
      id: 'SeparatorBlock',
      description: 'A line between two parts of the text.',
      examples: [{ type: 'separator' }],
    }),
  read: () => [{ type: 'separator' }],
  render: {
    block: () =>
      '<!-- wp:separator -->\n<hr class="wp-block-separator has-alpha-channel-opacity"/>\n<!-- /wp:separator -->',
    classic: () => '<hr />',
  },
  parts: () => [],
}
