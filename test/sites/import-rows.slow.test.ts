import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { MAX_ROWS, readRows } from '../../src/sites/import-file.ts'

const header = 'url,username,application_password'

describe('a CSV file of sites', () => {
  it('is read by the names of its columns, in any order, with quotes, a byte order mark and blank lines', () => {
    const file = `\uFEFFName,URL,labels,application_password,username\r\n"News, daily",example.com,a; b,"p ""q""",jane\r\n\r\n`
    expect(readRows(file)).toEqual([
      {
        line: 2,
        labels: ['a', 'b'],
        site: {
          name: 'News, daily',
          url: 'example.com',
          labels: ['a', 'b'],
          application_password: 'p "q"',
          username: 'jane',
        },
        // what a person corrects, without the password
        given: { name: 'News, daily', url: 'example.com', username: 'jane' },
      },
    ])
  })

  it.each([
    ['"news,client-1"', ['news', 'client-1']],
    ['news;client-1', ['news', 'client-1']],
    ['"news; client-1, other"', ['news', 'client-1', 'other']],
    ['"""Press, local"";news"', ['Press, local', 'news']],
    ['"[""Press, local"",""news""]"', ['Press, local', 'news']],
    ['[draft]', ['[draft]']],
    ["'=sum", ['=sum']],
    ['', []],
  ])('has the labels of %s', (cell, labels) => {
    expect(readRows(`${header},labels\nexample.com,jane,secret,${cell}\n`)).toMatchObject([
      { line: 2, labels, site: { labels } },
    ])
  })

  it('keeps a password as it is', () => {
    expect(readRows(`${header}\nexample.com,jane,'=secret\n`)).toMatchObject([
      { site: { application_password: "'=secret" } },
    ])
  })

  it('may have semicolons between its columns, as spreadsheets write them', () => {
    expect(readRows('url;username;application_password\nexample.com;jane;secret\n')).toMatchObject([
      { line: 2, site: { url: 'example.com', username: 'jane' } },
    ])
  })

  it.each([
    ['tabs', `${header.replaceAll(',', '\t')}\nexample.com\tjane\tsecret\n`],
    [
      'a line that names the divider',
      `\uFEFFsep=;\r\n${header.replaceAll(',', ';')}\r\nexample.com;jane;secret\r\n`,
    ],
    ['columns without a name', `${header},,\nexample.com,jane,secret,,\n`],
    ['lines without a value', `${header}\nexample.com,jane,secret\n,,\n , ,\n`],
    ['names in words', 'URL,Username,Application Password\nexample.com,jane,secret\n'],
  ])('may have %s, as spreadsheets write them', (_what, file) => {
    expect(readRows(file)).toEqual([
      {
        line: file.includes('sep=') ? 3 : 2,
        labels: [],
        site: { url: 'example.com', username: 'jane', application_password: 'secret', labels: [] },
        given: { url: 'example.com', username: 'jane' },
      },
    ])
  })

  it('says which value stands in a column without a name', () => {
    expect(readRows(`${header},,\nexample.com,jane,secret,,more\n`)).toMatchObject([
      { line: 2, mistake: expect.stringContaining('column 5') },
    ])
  })

  it('names what is wrong with a line, and reads the others', () => {
    const rows = readRows(`${header},id\nexample.com,,secret-1,mine\nexample.org,jane,secret-2,\n`)
    expect(rows).toMatchObject([
      { line: 2, mistake: expect.stringMatching(/username: .*; id: /) },
      { line: 3, site: { url: 'example.org' } },
    ])
  })

  it('may have lines that end in a carriage return alone', () => {
    const rows = readRows(`${header}\r${'example.com,jane,secret\r'.repeat(MAX_ROWS)}`)
    expect(rows).toHaveLength(MAX_ROWS)
    expect(rows[0]).toMatchObject({ site: { username: 'jane' } })
  })

  it.each(['example.com,jane,secret-1,more', 'example.com,jane'])(
    'reads the others where a line is %s',
    (line) => {
      const rows = readRows(`${header}\n${line}\nexample.org,jane,secret-2\n`)
      expect(rows).toMatchObject([
        { line: 2, mistake: expect.stringContaining('more or fewer values') },
        { line: 3, site: { url: 'example.org' } },
      ])
      expect(JSON.stringify(rows[0])).not.toContain('secret-1')
    },
  )

  it.each([
    ['lacks a column', 'url,username\nexample.com,jane\n', /lacks application_password/],
    ['has no header', 'example.com,jane,secret-1\n', /must name the columns/],
    ['has a column that nobody knows', `${header},secret-1\n`, /not known; known are url/],
    ['names a column twice', `${header},URL\nexample.com,jane,secret-1,x\n`, /names a column twice/],
    ['is in another character set', `${header},name\nexample.com,jane,secret-1,Caf\uFFFD\n`, /not UTF-8/],
    [
      'is full of columns',
      `${header}${','.repeat(100)}\nexample.com,jane,secret-1\n`,
      /more than 100 columns/,
    ],
    ['ends inside a quote', `${header}\nexample.com,jane,"secret-1\n`, /is not CSV/],
  ])('is refused as a whole where it %s, and no value is repeated', (_name, file, message) => {
    expect(() => readRows(file)).toThrow(message)
    expect(() => readRows(file)).not.toThrow(/secret-1/)
  })

  it(`is refused with more than ${MAX_ROWS} lines`, () => {
    expect(() => readRows(`${header}\n${'example.com,jane,secret\n'.repeat(MAX_ROWS + 1)}`)).toThrow(
      `more than ${MAX_ROWS} lines`,
    )
  })

  it('is read or refused with 128 MB for all of Galley, whatever is in it', () => {
    const file = new URL('hostile-files.ts', import.meta.url).pathname
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--max-old-space-size=128', '--import', 'tsx', file],
      { encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      'lines of one value': expect.stringContaining('more than 500 lines'),
      'a header of one name, and as many lines': expect.stringContaining('longer than 10000 characters'),
      'a line of half a million values': expect.stringContaining('more or fewer values'),
      'half a million labels': 'labels: must have at most 20000 characters',
    })
  })
})
