import { readRows } from '../../src/sites/import-file.ts'

// Run by import-rows.slow.test.ts in a process with little memory: files of the largest body that an import takes.

const BODY = 1024 * 1024
const header = 'url,username,application_password'
const filled = (start: string, text: string, length = BODY) =>
  start + text.repeat((length - start.length) / text.length)

const files = {
  'lines of one value': filled(`${header}\n`, 'a\n'),
  'a header of one name, and as many lines': filled(`${filled(header, ',url', BODY / 2)}\n`, 'a\n'),
  'a line of half a million values': filled(`${header}\n`, 'a,'),
  'half a million labels': filled(`${header},labels\nexample.com,jane,secret,`, 'a;'),
}

function said(file: string): string {
  try {
    return readRows(file)
      .map((row) => ('mistake' in row ? row.mistake : 'taken'))
      .join()
  } catch (error) {
    return (error as Error).message
  }
}

process.stdout.write(
  JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, file]) => [name, said(file)]))),
)
