import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MODEL, startScriptedProvider } from '../../demo/scripted-model.ts'
import { loadConfig } from '../../src/config/config.ts'
import { settingNames } from '../../src/config/settings.ts'
import { createApiKey } from '../../src/secrets/keyring.ts'
import {
  type DeliveryData,
  removeSitesOf,
  settled,
  startTestGalley,
  type TestGalley,
} from '../support/galley.ts'
import { findPosts, removePosts, removeTerm, rest, wordpress } from '../support/wordpress/index.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
/** What stands in the README's shell blocks, in its order. */
const shell = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block as string)

const key = createApiKey()
let galley: TestGalley
let model: Awaited<ReturnType<typeof startScriptedProvider>>

beforeAll(async () => {
  model = await startScriptedProvider()
  const { providers } = loadConfig({ GALLEY_AI_URL: model.url, GALLEY_AI_MODEL: MODEL })
  galley = await startTestGalley({ adminKey: key, providers })
})

afterAll(async () => {
  await galley.stop()
  await model.stop()
})

test('every npm command of the README is a script of the package, or npm ci', () => {
  const commands = [...shell.join('').matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name]) => name as string)
  expect(commands.length).toBeGreaterThan(3)
  expect(commands.filter((name) => name !== 'ci' && !(name in manifest.scripts))).toEqual([])
})

const calls = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

test('every path of the README and of docs/api.md that begins with /v1 is described in /openapi.json', async () => {
  const { body } = await galley.call<{ paths: Record<string, unknown> }>('GET', '/openapi.json')
  const paths = [...(readme + calls).matchAll(/(?<=[` ])\/v1\/[\w/{}-]+/g)].map(([path]) => path)
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter((path) => !(path in body.paths))).toEqual([])
})

/** The block that sets what the commands use, the four commands from there to a post, and what asks for a document. */
const [exported, ...asked] = shell.filter((block) => /^export \w+=\S/m.test(block) || block.includes('curl '))
const generation = asked.splice(4)
const commands = asked
const names = [...(exported ?? '').matchAll(/^export (\w+)=/gm)].map(([, name]) => name as string)

test('from the settings to a post it is four commands', () => {
  expect(names).toEqual(['GALLEY', 'KEY', 'SITE_URL', 'WP_USER', 'WP_PASSWORD'])
  expect(commands.map((block) => block.match(/curl /g)?.length)).toEqual([1, 1, 1, 1])
})

test('no name that the README exports is one that a shell has a use of its own for', () => {
  const taken =
    /^(USERNAME|USER|LOGNAME|HOME|HOST|PATH|PWD|PS\d|IFS|[EU]?[UG]ID|SHELL|SECONDS|RANDOM|LINENO)$/
  const all = shell.flatMap((block) => [...block.matchAll(/^(?:export )?(\w+)=/gm)].map(([, name]) => name))
  expect(all.length).toBeGreaterThan(5)
  expect(all.filter((name) => taken.test(name as string) || name !== name?.toUpperCase())).toEqual([])
})

test('nothing to be copied has a comment, which an interactive zsh takes for an argument', () => {
  expect(shell.filter((block) => /(^|\s)#/m.test(block))).toEqual([])
})

test('a language model is three settings, and a document one command', () => {
  const [settings, command, ...more] = generation
  const set = [...(settings ?? '').matchAll(/^export (\w+)=/gm)].map(([, name]) => name as string)
  expect(set).toEqual(['GALLEY_AI_URL', 'GALLEY_AI_KEY', 'GALLEY_AI_MODEL'])
  expect(set.filter((name) => !settingNames.includes(name))).toEqual([])
  expect(command?.match(/curl /g)).toHaveLength(1)
  expect(more).toEqual([])
})

/** Removes what the README's documents became. */
async function clean(): Promise<void> {
  const posts = [
    ...(await findPosts('slug=why-the-tide-comes-twice')),
    ...(await findPosts('slug=how-to-read-a-tide-table-without-ever-having-sailed')),
  ]
  for (const { id, categories, tags } of posts) {
    await removePosts([id])
    // The one that WordPress gives where none is asked for cannot be removed.
    for (const term of (categories as number[]).filter((term) => term !== 1))
      await removeTerm('categories', term)
    for (const term of tags as number[]) await removeTerm('tags', term)
  }
}

/** As an interactive shell without anybody's own settings takes it. */
const shells: Record<string, string[]> = { bash: ['--norc', '--noprofile', '-i'], zsh: ['-f', '-i'] }
const here = Object.keys(shells).filter((name) =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].some((folder) =>
    existsSync(`${folder}/${name}`),
  ),
)

/** What a shell prints while these lines are pasted into it. */
function paste(name: string, lines: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'galley-readme-'))
  const child = spawn(name, shells[name], { env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb' } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  child.stdin.end(`${lines}\nexit\n`)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      rmSync(home, { recursive: true, force: true })
      resolve(printed)
    })
  })
}

/** In the README, and so the same for every shell. */
const documentId = readme.match(/document_id=([0-9a-f-]+)/)?.[1] as string

test.each(here)(
  'the README pasted into %s connects a site, makes a source and delivers a draft',
  async (name) => {
    // Each shell is the first that sends its document.
    const own = randomUUID()
    const { url, users } = wordpress()
    const values: Record<string, string> = {
      GALLEY: galley.url,
      KEY: key,
      SITE_URL: url,
      WP_USER: users.editor.login,
      WP_PASSWORD: users.editor.applicationPassword,
    }
    const settings = names.map((setting) => `export ${setting}='${values[setting]}'`)
    const lines = [...settings, ...commands, generation[1]].join('\n').replaceAll(documentId, own)
    try {
      const printed = await paste(name, lines)
      const answers = [...printed.matchAll(/\{"success":.*\}/g)].map(([answer]) => JSON.parse(answer))
      expect(answers, printed).toMatchObject([
        { success: true, data: { username: users.editor.login } },
        { success: true },
        { success: true, data: [{ document_id: own }] },
        { success: true, id: expect.any(String) },
      ])
      // The address that is shown once is there to be kept.
      expect(printed).toMatch(/\/v1\/webhooks\/[0-9a-f]{48}\s/)

      const delivery: DeliveryData = await settled(galley, own)
      expect(delivery).toMatchObject({ status: 'delivered', warnings: [], post: { status: 'draft' } })
      const post = await rest<{ slug: string; categories: number[]; tags: number[] }>(
        'administrator',
        'GET',
        `/wp/v2/posts/${delivery.post?.id}?context=edit`,
      )
      expect(post.slug).toBe('why-the-tide-comes-twice')
      expect([post.categories.length, post.tags.length]).toEqual([1, 1])

      const made = answers.at(-1)?.id as string
      const status = () => galley.call<{ status: string }>('GET', `/v1/document/status/${made}`)
      await expect.poll(async () => (await status()).body.status).toBe('completed')
      expect(await settled(galley, made)).toMatchObject({ status: 'delivered', post: { status: 'draft' } })
    } finally {
      await removeSitesOf(galley, users.editor.login)
      await clean()
    }
  },
)
