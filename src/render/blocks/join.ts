/** Blocks next to each other, inside a parent too; those with nothing to show leave no gap. */
export const joinBlocks = (blocks: readonly string[]): string =>
  blocks.filter((block) => block !== '').join('\n\n')
