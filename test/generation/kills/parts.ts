/** What the documents of the kill tests are made of. */
export const partsOf = {
  generating: ['outline', 'section-1', 'section-2'],
  images: ['picture-1', 'picture-2'],
} as const
