import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { read } from './repository.ts'

/** The files of `src` that a section of docs/architecture.md lists. */
function listedFiles(title: string): string[] {
  const [, section = ''] = read('docs/architecture.md').split(`### ${title}\n`)
  const [list = ''] = section.split('\n### ')
  return [...list.matchAll(/^\d+\. \[.*?\]\(\.\.\/src\/(.*?)\)/gm)].map(([, file]) => file as string).sort()
}

test('architecture.md lists the files through which a webhook and the read of a delivery pass, and no others', async () => {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const measure = ['--import', 'tsx', 'test/docs/measure-ways.ts', database.connectionString]
  const { stdout } = await promisify(execFile)(process.execPath, measure)
  expect(JSON.parse(stdout)).toEqual({
    webhook: listedFiles('From a webhook to its acknowledgement'),
    read: listedFiles('From `GET /v1/deliveries/{uuid}` to its answer'),
  })
})
