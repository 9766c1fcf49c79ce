import { expect, test } from 'vitest'
import { severities, severityOf, warningCodes } from '../src/warnings.ts'
import { read } from './docs/repository.ts'

test('docs/api.md names every code of a warning under its severity', () => {
  const rows = read('docs/api.md').split('\n')
  for (const severity of severities) {
    const row = rows.find((line) => line.startsWith(`| \`${severity}\` |`)) ?? ''
    const [, , , codes = ''] = row.split('|')
    const named = [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => code)
    expect(named, severity).toEqual(warningCodes.filter((code) => severityOf(code) === severity))
  }
})
