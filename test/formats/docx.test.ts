import { readdirSync, readFileSync } from 'node:fs'
import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { docxToHtml } from '../../src/formats/docx.ts'
import { html } from '../../src/formats/html.ts'
import { countBlocks, countDocx, missing } from './counts.ts'

const folder = 'test/fixtures/formats/docx'

test.each(readdirSync(folder))('%s keeps every word, link and picture, or says so', async (name) => {
  const bytes = readFileSync(`${folder}/${name}`)
  const before = countDocx(bytes)
  const converted = await docxToHtml(bytes)
  const { content, warnings } = html.read(converted.html)
  const after = countBlocks(content)
  const said = [...converted.warnings, ...warnings].map(({ message }) => message).join('\n')
  expect({
    words: missing(before.words, after.words).filter((word) => !said.includes(word)),
    // Word keeps the place in a page apart.
    links: before.links.filter(
      (link) => !after.links.some((kept) => kept.startsWith(link)) && !said.includes(link),
    ),
    pictures: before.pictures.filter((picture) => !said.includes(picture)).length,
  }).toEqual({ words: [], links: [], pictures: after.pictures.length })
})

test('formats of Word come as ours, and its pictures inside the document', async () => {
  const read = async (name: string) => {
    const converted = await docxToHtml(readFileSync(`${folder}/${name}.docx`))
    return html.read(converted.html).content
  }
  expect(await read('mammoth-underline')).toEqual([
    {
      type: 'paragraph',
      content: [{ type: 'bold', text: ['The ', { type: 'underline', text: 'Sunset' }, ' Tree'] }],
    },
  ])
  expect(await read('mammoth-tiny-picture')).toMatchObject([
    { type: 'image', url: expect.stringMatching(/^data:image\/png;base64,/) },
  ])
  expect(await read('mammoth-footnotes')).toMatchObject([
    {
      content: [
        'Ouch',
        { type: 'footnote', text: 'A tachyon walks into a bar.' },
        '.',
        { type: 'footnote', text: 'Fin.' },
      ],
    },
  ])
})

test('a document that becomes too large when it is unpacked is refused before', async () => {
  const bytes = readFileSync(`${folder}/mammoth-tables.docx`)
  const entry = bytes.indexOf(Buffer.from('PK\x01\x02'))
  bytes.writeUInt32LE(300 * 1024 * 1024, entry + 24)
  await expect(docxToHtml(bytes)).rejects.toThrow('too large')
})

test('formulas, which are not read, are said to be missing, once', async () => {
  const files = unzipSync(readFileSync(`${folder}/mammoth-underline.docx`), { filter: () => true })
  const formula =
    '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>E=mc</m:t></m:r></m:oMath>'
  const markup = Buffer.from(files['word/document.xml'] ?? []).toString()
  const paragraphs = `<w:p><w:r><w:t>Mass</w:t></w:r>${formula}</w:p><w:p><m:oMathPara ${formula.slice(9, 80)}>${formula}</m:oMathPara></w:p>`
  files['word/document.xml'] = Buffer.from(markup.replace('<w:body>', `<w:body>${paragraphs}`))
  const { html, warnings } = await docxToHtml(zipSync(files))
  expect(html).toContain('<p>Mass</p>')
  expect(warnings).toEqual([{ code: 'format_left_out', message: expect.stringContaining('the formulas') }])
})
