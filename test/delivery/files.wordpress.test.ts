import { afterAll, beforeAll, expect, test } from 'vitest'
import { blockExamples } from '../../src/blocks/index.ts'
import { sampleFiles } from '../../src/wordpress/doctor/probes/temporary-file.ts'
import { loadEditor } from '../support/editor.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import {
  type DeliveryData,
  removeSitesOf,
  settled,
  startTestGalley,
  type TestGalley,
  webhookPath,
} from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { findMedia, type RestItem, removePosts, rest, wordpress } from '../support/wordpress/index.ts'

const { root, url, users } = wordpress()
const editor = loadEditor(root)

let galley: TestGalley
let webhook: string
let files: FileServer
const posts = new Set<number>()

/** The head of a film, by which it is known. */
const film = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom\0\0\x02\0isomiso2mp41')])
const picture = (shade: number) => ({ type: 'image/png', bytes: png(640, 480, [shade, 90, 160]) })

beforeAll(async () => {
  galley = await startTestGalley()
  webhook = await webhookPath(galley)
  files = await serveFiles({
    '/tide-curve.png': picture(1),
    '/ebb.jpg': picture(2),
    '/flood.jpg': picture(3),
    '/bore.jpg': picture(4),
    '/bore.mp4': { type: 'video/mp4', bytes: film },
    '/tide-table.pdf': { type: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n%%EOF\n') },
    '/surf.mp3': { type: 'audio/mpeg', bytes: Buffer.from(sampleFiles.mp3.bytes) },
  })
})

afterAll(async () => {
  await removePosts(posts)
  await galley.stop()
  await files.close()
})

/** The example of each block, its files where they can be fetched. */
const blocksHere = (): object[] =>
  JSON.parse(
    JSON.stringify(blockExamples.map(([, example]) => example)).replaceAll(
      /https:\/\/example\.com(?=\/[\w-]+\.)/g,
      files.url,
    ),
  )

async function deliver(document: ReturnType<typeof completed>): Promise<DeliveryData> {
  expect((await galley.call('POST', webhook, document)).body).toMatchObject({ success: true, delivery: true })
  const delivery = await settled(galley, document.id)
  if (delivery.post) posts.add(delivery.post.id)
  return delivery
}

const contentOf = async ({ post }: DeliveryData): Promise<string> => {
  const path = `/wp/v2/posts/${post?.id}?context=edit`
  return (await rest<{ content: { raw: string } }>('editor', 'GET', path)).content.raw
}

/** Older editors have other forms for some blocks, which is said and loses nothing. */
const lossesOf = ({ warnings }: DeliveryData) => warnings.filter(({ severity }) => severity === 'loss')

const typesOf = (library: readonly RestItem[]) => library.map(({ mime_type }) => mime_type).sort()

test.each(['editor', 'author'] as const)(
  'as %s: one of each block arrives whole, its files in the library, and no file twice',
  async (role) => {
    const { login: username, applicationPassword: application_password } = users[role]
    await removeSitesOf(galley, username)
    const site = await galley.call<{ id: string }>('POST', '/v1/sites', {
      ...{ url, username, application_password },
    })
    const document = completed({ siteId: site.body.id, title: `Files as ${role}`, blocks: blocksHere() })

    const first = await deliver(document)
    expect(first.status).toBe('delivered')
    expect(lossesOf(first)).toEqual([])
    const library = await findMedia(`parent=${first.post?.id}`)
    expect(typesOf(library)).toEqual([
      'application/pdf',
      'audio/mpeg',
      ...Array(4).fill('image/png'),
      'video/mp4',
    ])
    const content = await contentOf(first)
    expect(editor.judge(content)).toMatchObject({ valid: true, invalid: [], migrated: [] })
    expect(content).not.toContain(files.url)
    for (const { source_url } of library) expect(content).toContain(source_url)
    const ids = [...content.matchAll(/<!-- wp:\w+ \{[^\n]*?"id":(\d+)/g)].map(([, id]) => Number(id))
    // The poster of a film has no id of its own in the block.
    const poster = library.find(({ source_url }) => content.includes(`poster="${source_url}"`))
    expect(ids.toSorted()).toEqual(library.flatMap(({ id }) => (id === poster?.id ? [] : [id])).toSorted())

    const fetched = files.requests.length
    const second = await deliver({
      ...document,
      data: { ...(document.data as object), title: `Files as ${role}, again` },
    })
    expect(second).toMatchObject({
      status: 'delivered',
      warnings: first.warnings,
      post: { id: first.post?.id },
    })
    expect(await contentOf(second)).toBe(content)
    expect(await findMedia(`parent=${first.post?.id}`)).toHaveLength(library.length)
    expect(files.requests).toHaveLength(fetched)
  },
)
