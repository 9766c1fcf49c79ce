import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { settingNames } from '../../src/config/settings.ts'
import { GalleyError } from '../../src/errors.ts'
import { readRows } from '../../src/sites/import-file.ts'
import { rawSentence } from './raw-sentence.ts'

test('whoever sets a setting wrong is told no sentence of the library', () => {
  const heard: string[] = []
  for (const name of settingNames)
    for (const value of ['x', '-1', '1.5', '1e300', '!', 'x'.repeat(3_000)])
      try {
        loadConfig({ [name]: value })
      } catch (error) {
        if (!(error instanceof GalleyError)) throw error
        heard.push(error.message)
      }
  expect(heard.length).toBeGreaterThan(30)
  expect(heard.filter((sentence) => rawSentence.test(sentence))).toEqual([])
})

test('nor whoever imports a file', () => {
  const rows = ['x'.repeat(300), '', '7'].map(
    (value) => `example.com,${value},pass,${value},${value},${value}`,
  )
  const read = readRows(['url,username,application_password,name,id,labels', ...rows].join('\n'))
  const heard = read.flatMap((row) => ('mistake' in row ? [row.mistake] : []))
  expect(heard.join('\n')).toMatch(/username: is missing: it must be a string/)
  expect(heard.filter((sentence) => rawSentence.test(sentence))).toEqual([])
})
