/** Before 6.8 the editor saves some blocks in an older shape: ours are valid there, but not byte for byte. */
export function savesAlike(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 6 || (major === 6 && minor >= 8)
}

/** Where Galley's bytes differ from what the block editor saves, on purpose. There are no others. */
export const exceptions = [
  {
    name: 'an opening bracket in text is &#91;',
    fixture: '012-paragraph-shortcode-stays-text',
    reason: 'WordPress runs shortcodes wherever they stand, so a bracket that is text must not be one.',
    undo: (markup: string) => markup.replaceAll('&#91;', '['),
  },
  {
    name: 'the slashes of an address alone on its line are &#47;&#47;',
    fixture: '088-code-every-address-alone-stays-text',
    reason: 'WordPress turns such an address into an embed. The editor itself escapes the first one in code.',
    undo: (markup: string) => markup.replaceAll('&#47;&#47;', '//'),
  },
  {
    name: 'the number sign of an entity written as text is &#35;',
    fixture: '006-paragraph-entity-written-as-text',
    reason:
      'Before 7.1 kses takes `&amp;#91;` for `&#91;`, and the reader sees a bracket instead of the entity.',
    undo: (markup: string) => markup.replaceAll('&amp;&#35;', '&amp;#'),
  },
  {
    name: 'a less-than sign in alternative text or a title is &lt;',
    fixture: '102-image-alternative-text-is-escaped',
    reason: 'Before 7.1 the editor writes it raw, and kses then destroys the block.',
    undo: (markup: string) =>
      markup.replace(/ (?:alt|title)="[^"]*"/g, (attribute) => attribute.replaceAll('&lt;', '<')),
  },
  {
    name: 'no blank line between the text of a list item and the first of two blocks inside it',
    fixture: '065-list-two-lists-in-one-item',
    reason:
      'The editor takes the blank line between the two blocks for the end of the text and adds it to the text ' +
      'anew with every save; there is no markup that it saves alike.',
    undo: (markup: string) => markup.replace(/(?<!-->|\n)(?:\n\n)+(?=<!-- wp:)/g, ''),
  },
] as const

/** The markup with every exception undone: equal bytes mean that nothing else differs. */
export const withoutExceptions = (markup: string): string =>
  exceptions.reduce((text, { undo }) => undo(text), markup)
