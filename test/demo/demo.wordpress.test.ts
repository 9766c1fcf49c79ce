import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { discardDataDir, newDataDir } from '../support/database/data-folder.ts'
import { findMedia, findPosts, removePosts, removeTerm, wordpress } from '../support/wordpress/index.ts'

const run = promisify(execFile)
let dataDir: string

// The demo starts Galley as `npm ci` or `npm run build` left it. Nothing is built here: others serve the same files.
beforeAll(() => {
  dataDir = newDataDir()
})

afterAll(() => discardDataDir(dataDir))

afterEach(async () => {
  for (const { id, categories, tags } of await findPosts('search=tide+table')) {
    await removePosts([id])
    for (const term of categories as number[]) await removeTerm('categories', term)
    for (const term of tags as number[]) await removeTerm('tags', term)
  }
})

const { url, users } = wordpress()

function demo(password = users.editor.applicationPassword, ...more: string[]) {
  return run('npm', ['run', 'demo', '--', '--once', '--site', url, '--user', 'editor', ...more], {
    env: { ...process.env, GALLEY_DEMO_DATA_DIR: dataDir, GALLEY_DEMO_PASSWORD: password },
  })
}

it('ends with an error that says what to do where the password is wrong', async () => {
  await expect(demo('wrong')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('password') })
})

// The sample, with an own WordPress, is delivered by `npm run demo` itself, which .ci/run does.
it('makes a document from a prompt, delivers it to an own site as a draft, shows every step, and ends by itself', {
  timeout: 240_000,
}, async () => {
  const { stdout } = await demo(users.editor.applicationPassword, '--generate')
  // On a fast machine the steps before may be over between two looks.
  expect(stdout).toMatch(/ step +completed/)
  expect(stdout).toContain('scripted answers, not a model')
  const [post, ...others] = await findPosts('search=tide+table')
  expect(others).toEqual([])
  expect(post).toMatchObject({
    status: 'draft',
    title: { raw: 'How to read a tide table without ever having sailed' },
  })
  for (const step of ['reserve', 'terms', 'media', 'fill', 'verify']) expect(stdout).toContain(`  ${step} `)
  expect(stdout).toContain(`${url}/wp-admin/post.php?post=${post?.id}&action=edit`)
  const raw = String((post?.content as { raw?: string } | undefined)?.raw)
  for (const block of ['table', 'code', 'list', 'audio']) expect(raw).toContain(`<!-- wp:${block}`)
  expect(raw.match(/<!-- wp:heading/g)?.length).toBeGreaterThan(2)
  const library = await findMedia(`parent=${post?.id}`)
  expect(library.map(({ mime_type }) => mime_type).sort()).toEqual(['audio/mpeg', 'image/jpeg'])
})
