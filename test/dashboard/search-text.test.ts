import { expect, it } from 'vitest'
import { searchText } from '../../dashboard/src/components/search-text.ts'
import { singleLineText } from '../../src/contract/scalars.ts'

// What is searched for is what Galley takes.

it.each([
  ['a space is no search', ' ', ''],
  ['so is a mark that nobody sees', '\u202a', ''],
  ['spaces around it are no part of it', '  tide ', 'tide'],
  ['a mark of direction is left out', '\u202aThe tide\u202c', 'The tide'],
  ['a tab is a space', 'The\ttide', 'The tide'],
  ['what has more than 200 characters is cut off', 'a'.repeat(300), 'a'.repeat(200)],
  ['a character is not cut in two', `${'a'.repeat(199)}😀`, 'a'.repeat(199)],
  ['a half of a character is left out', '\ud83d tide', 'tide'],
  ['NUL is a space', 'The\0tide', 'The tide'],
])('%s', (_said, typed, search) => {
  expect(searchText(typed)).toBe(search)
  if (search !== '') expect(singleLineText(200).parse(search)).toBe(search)
})
