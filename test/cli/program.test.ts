import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { escapeControls, escapeLine, escapePiece, jsonText } from '../../src/cli/output.ts'
import { run } from './world.ts'

const document = (text: string) =>
  JSON.stringify({ title: 'Tides', content: { content: [{ type: 'paragraph', content: text }] } })

test('render prints the markup, whole and alone', async () => {
  const { code, out, err } = await run(['render', '-'], { input: document('The sea rises.') })
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '<!-- wp:paragraph -->\n<p>The sea rises.</p>\n<!-- /wp:paragraph -->\n',
    err: '',
  })
})

test('render takes a whole webhook as well, another format, and answers JSON', async () => {
  const input = `{"event": "document.completed", "data": ${document('The sea rises.')}}`
  const { out } = await run(['render', '-', '--format', 'classic', '--json'], { input })
  expect(JSON.parse(out)).toEqual({ success: true, data: { markup: '<p>The sea rises.</p>', warnings: [] } })
})

test.each([
  ['post.md', '# Tides\n\nThe **sea** rises.'],
  ['page.html', '<h1>Tides</h1><p>The <b>sea</b> rises.'],
])('render takes %s', async (name, text) => {
  const file = join(mkdtempSync(join(tmpdir(), 'galley-')), name)
  writeFileSync(file, text)
  expect(await run(['render', file, '--format', 'classic'])).toMatchObject({
    code: 0,
    out: '<p>The <strong>sea</strong> rises.</p>\n',
  })
})

test('render takes a Word document, and refuses what only has its name', async () => {
  const word = 'test/fixtures/formats/docx/pandoc-alternate_document_path.docx'
  expect((await run(['render', word])).out).toContain('<p>This is <em>italic</em>, <strong>bold</strong>')
  const file = join(mkdtempSync(join(tmpdir(), 'galley-')), 'not.docx')
  writeFileSync(file, 'text')
  expect(await run(['render', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('no Word document'),
  })
})

test.each([
  [['render'], 2, "missing required argument 'file'"],
  [['render', 'a.json', 'b.json'], 2, 'too many arguments'],
  [['render', 'a.json', '--formt', 'classic'], 2, 'Did you mean --format?'],
  [['render', 'nowhere.json'], 4, 'nowhere.json is not there'],
  [['render', '-'], 2, 'Standard input is not JSON'],
  [['rendr'], 2, 'Did you mean render?'],
])('%j ends with %i', async (args, code, sentence) => {
  const ran = await run(args)
  expect(ran).toMatchObject({ code, out: '', err: expect.stringContaining(sentence) })
})

test.each([
  ['[1]', 'it is no JSON object'],
  ['{"title": "x"}', 'data.content: missing'],
  [document(''), 'holds nothing that a reader would see'],
  ['{"title": "x", "content": {"ops": []}}', 'it is a Delta of Quill'],
])('a file that holds no document is refused: %s', async (input, sentence) => {
  expect(await run(['render', '-'], { input })).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining(sentence),
  })
})

test('a file and an input of another character set are refused, not sent with letters missing', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'galley-')), 'post.md')
  const latin1 = Buffer.from('# Café', 'latin1')
  writeFileSync(file, latin1)
  for (const args of [{ file }, { file: '-', input: latin1 }])
    expect(await run(['render', args.file], args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('is not UTF-8 text'),
    })
})

test('Ctrl-C ends what waits for standard input', async () => {
  const stop = new AbortController()
  const read = () => {
    stop.abort()
    return new Promise<Buffer>(() => undefined)
  }
  for (const args of [
    ['render', '-'],
    ['sites', 'add', 'https://example.com', '--username', 'editor', '--password-file', '-'],
  ])
    expect(await run(args, { read, stop: stop.signal, env: { GALLEY_KEY: 'x' } })).toEqual({
      code: 130,
      out: '',
      err: 'Stopped.\n',
    })
})

test.each(['[{"concurrency": 2}]', '"concurrency"', 'null'])(
  'a request is an object, and not %s',
  async (input) => {
    for (const args of [
      ['bulk', 'start', 'settings', '--all', '--settings', '-'],
      ['jobs', 'create', 'document', '--request', '-'],
    ])
      expect(await run(args, { input, env: { GALLEY_KEY: 'x' } })).toMatchObject({
        code: 2,
        err: expect.stringContaining('Standard input holds no JSON object'),
      })
  },
)

test('a failure is JSON where JSON is asked for', async () => {
  const { code, err } = await run(['render', 'gone.json', '--json'])
  expect(code).toBe(4)
  expect(JSON.parse(err)).toMatchObject({ success: false, error: { code: 'FILE_UNREADABLE' } })
})

test('serve says what it is, and takes no options, of which none would count', async () => {
  expect(await run(['serve', '--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Start Galley, as npm start does.'),
  })
  for (const args of [
    ['serve', '--json'],
    ['serve', '--port', '1'],
    ['serve', 'here'],
  ])
    expect((await run(args)).code, args.join(' ')).toBe(2)
})

test('help is asked for in each way, and is no failure', async () => {
  for (const args of [
    ['render', '--help'],
    ['help', 'render'],
    ['render', '-h'],
  ])
    expect(await run(args)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/--key-file.*Examples:/s),
    })
})

test('a reader that has enough is no failure', async () => {
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  const write = () => Promise.reject(closed)
  expect(await run(['render', '-'], { input: document('The sea.'), write })).toMatchObject({
    code: 0,
    err: '',
  })
})

test('what a terminal would act on is written as what it is', () => {
  expect(escapeControls('a\u001b[2J\u009b31m\u202eb\u0007\r\nc\td')).toBe(
    'a\\u{1b}[2J\\u{9b}31m\\u{202e}b\\u{7}\\u{d}\nc\td',
  )
  expect(escapeLine(' a\n\u001b]8;;https://x.example\u0007b ')).toBe('a \\u{1b}]8;;https://x.example\\u{7}b')
  expect(escapeControls('👩‍👩‍👧 नमस्ते')).toBe('👩‍👩‍👧 नमस्ते')
})

test('the same holds for a piece of a file, whose lines may end in two characters', () => {
  expect(escapePiece('\uFEFFa\u001b[2J\r\nb\r\nc\rd')).toBe('a\\u{1b}[2J\nb\nc\\u{d}d')
})

test('JSON does nothing to a terminal, and says what it said', () => {
  const value = { title: 'a\u001b[2J\u009b31m\u202eb\u007f\u{e0041}', family: '👩‍👩‍👧', '\u202ex': 1 }
  const text = jsonText(value, 2)
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u{e0041}]/u)
  expect(JSON.parse(text)).toEqual(value)
})

test('a file that is too deep is said to be so before anything goes through it', async () => {
  const content = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const input = `{"title":"x","content":{"type":"document","content":${content}}}`
  const site = ['--site', '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11']
  for (const args of [['render'], ['deliver', ...site], ['preview', ...site]])
    expect(await run([...args, '-'], { input, env: { GALLEY_KEY: 'x' } })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The document is nested too deeply/),
    })
})

test('a terminal gets markup that it does not act on, and a file exactly the bytes', async () => {
  const input = document('a\u202eb')
  expect((await run(['render', '-'], { input })).out).toContain('a\u202eb')
  expect((await run(['render', '-'], { input, columns: 80 })).out).toContain('a\\u{202e}b')
})
