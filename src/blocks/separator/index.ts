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
    block: () =>
      '<!-- wp:separator -->\n<hr class="wp-block-separator has-alpha-channel-opacity"/>\n<!-- /wp:separator -->',
    classic: () => '<hr />',
  },
  parts: () => [],
}
