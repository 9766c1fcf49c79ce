import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../src/secrets/index.ts'
import { type DeliveryData, settled, startTestGalley, type TestGalley } from '../support/galley.ts'
import { removePost, removeTerm, rest, wordpress } from '../support/wordpress/index.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
/** What stands in the README's shell blocks, in its order. */
const shell = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block as string)

const key = createApiKey()
let galley: TestGalley

beforeAll(async () => {
  galley = await startTestGalley({ adminKey: key })
})

afterAll(() => galley.stop())

test('every npm command of the README is a script of the package, or npm ci', () => {
  const commands = [...shell.join('').matchAll(/^npm (?:run )?([\w:]+)/gm)].map(([, name]) => name as string)
  expect(commands.length).toBeGreaterThan(3)
  expect(commands.filter((name) => name !== 'ci' && !(name in manifest.scripts))).toEqual([])
})

test('every path of the README that begins with /v1 is described in /openapi.json', async () => {
  const { body } = await galley.call<{ paths: Record<string, unknown> }>('GET', '/openapi.json')
  const paths = [...readme.matchAll(/(?<=[` ])\/v1\/[\w/{}-]+/g)].map(([path]) => path)
  expect(paths.length).toBeGreaterThan(8)
  expect(paths.filter((path) => !(path in body.paths))).toEqual([])
})

test('the README followed with curl connects a site, makes a source and delivers a draft', async () => {
  const curls = shell.filter((block) => block.includes('curl '))
  expect(curls).toHaveLength(4)
  const { url, users } = wordpress()
  const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', curls.join('\necho\n')], {
    env: {
      PATH: process.env.PATH,
      GALLEY: galley.url,
      KEY: key,
      SITE_URL: url,
      USERNAME: users.editor.login,
      APPLICATION_PASSWORD: users.editor.applicationPassword,
    },
  })
  const answers = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  expect(answers.map(({ success }) => success)).toEqual([true, true, true])

  const documentId = readme.match(/document_id=([0-9a-f-]+)/)?.[1] as string
  const delivery: DeliveryData = await settled(galley, documentId)
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [], post: { status: 'draft' } })
  const post = await rest<{ slug: string; categories: number[]; tags: number[] }>(
    'administrator',
    'GET',
    `/wp/v2/posts/${delivery.post?.id}?context=edit`,
  )
  expect(post.slug).toBe('why-the-tide-comes-twice')
  expect([post.categories.length, post.tags.length]).toEqual([1, 1])
  await removePost(delivery.post?.id as number)
  await removeTerm('categories', post.categories[0] as number)
  await removeTerm('tags', post.tags[0] as number)
})
