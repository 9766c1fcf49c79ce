import type { Inline } from './index.ts'

/** The words of running text. */
export const inlineText = (all: readonly Inline[]): string =>
  all
    .map((inline) =>
      'children' in inline
        ? inlineText(inline.children)
        : inline.type === 'text'
          ? inline.text
          : inline.type === 'math'
            ? inline.latex
            : inline.type === 'break'
              ? '\n'
              : '',
    )
    .join('')
