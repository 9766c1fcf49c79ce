const names = ['href', 'src', 'alt', 'title'] as const

/** What links, pictures and sounds say in their attributes, in reading order. */
export const shownAttributes = (root: Element): Record<string, string>[] =>
  [...root.querySelectorAll('a, img, audio')].map((element) =>
    Object.fromEntries(
      names.flatMap((name) => (element.hasAttribute(name) ? [[name, element.getAttribute(name) ?? '']] : [])),
    ),
  )
