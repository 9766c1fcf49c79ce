import { expect, it } from 'vitest'
import { renameStyles } from '../../dashboard/src/components/parsed-markup.ts'

it('styles of tags have another name, and what stands in quotes or in a text stays', () => {
  expect(renameStyles(`<p title=' style="x"' style = "color: red">A style="y" <b style='z'>b</b></p>`)).toBe(
    `<p title=' style="x"' data-style = "color: red">A style="y" <b data-style='z'>b</b></p>`,
  )
})

it('a text of a megabyte with nothing but beginnings of tags takes no longer than any other', () => {
  const text = '<a'.repeat(500_000)
  expect(renameStyles(text)).toBe(text)
})
