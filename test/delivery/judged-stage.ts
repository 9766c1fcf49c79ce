import { expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { backlog, everyPost, judge } from '../faults/stage/oracle.ts'
import { nothingWrong } from '../faults/stage/report.ts'
import type { DeliveryData } from '../support/galley.ts'
import { findMedia, type RestItem, rest } from '../support/wordpress/index.ts'
import { read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

const none = { ...nothingWrong, miscalled: [] }
type Wrong = keyof typeof none

/** A stage on which another document's post and a person's stand, and everything that is delivered is judged. */
export interface JudgedStage extends DeliveryStage {
  /** This is meant to be wrong with a document, by the plugin's doing. */
  except(document: FaultDocument, ...wrong: Wrong[]): void
  /**
   * Fails where something is wrong, by the oracle of the fault suite, or the posts of others are not as they were.
   * @param look for the posts, where a plugin has to be on to see them
   */
  judge(look?: () => Promise<RestItem[]>): Promise<void>
}

/** Each plugin that crashes has its site paused, twice as long each time: from a fifth of a second it would come to minutes. */
const shortPauses = { firstPauseMs: 20, firstBackoffMs: 30 }

export async function startJudgedStage(
  timing: Parameters<typeof startStage>[0] = {},
  documents: Parameters<typeof startStage>[1] = {},
): Promise<JudgedStage> {
  const stage = await startStage({ ...shortPauses, ...timing }, documents)
  const { word } = stage.documents
  const acknowledged = new Map<string, FaultDocument>()
  const excepted: [FaultDocument, Wrong[]][] = []

  const another = stage.documents.make(await stage.site(), { picture: true, post_status: 'publish' })
  const { post } = await stage.deliver(another)
  const fields = { title: `Mine, of ${word}`, status: 'draft', slug: `mine-${word}`, content: 'All of it.' }
  const mine = await rest<RestItem>('editor', 'POST', '/wp/v2/posts', fields)
  const standing = async () => ({
    another: await read(post?.id),
    files: await findMedia(`parent=${post?.id}`),
    mine: await read(mine.id),
  })
  const before = await standing()

  const send = async (document: FaultDocument) => {
    acknowledged.set(document.id, document)
    await stage.send(document)
  }
  return {
    ...stage,
    send,
    async deliver(document) {
      acknowledged.set(document.id, document)
      return stage.deliver(document)
    },
    except: (document, ...wrong) => void excepted.push([document, wrong]),
    async judge(look = () => everyPost(word)) {
      await expect.poll(() => backlog(stage.pool)).toBe(0)
      const posts = (await look()).map((found) => named(found, word))
      const documents = [...acknowledged.values()]
      const judged = {
        ...(await judge(stage.pool, word, documents, posts)),
        miscalled: miscalled(documents, await everyDelivery(stage), posts),
      }
      const wrong = (Object.keys(none) as Wrong[]).map((kind) => [
        kind,
        judged[kind].filter((line) => !isExcepted(line, kind)),
      ])
      expect(Object.fromEntries(wrong)).toEqual(none)
      expect(await standing()).toEqual(before)
    },
  }

  function isExcepted(line: string, kind: Wrong): boolean {
    return excepted.some(([{ title }, kinds]) => kinds.includes(kind) && line.startsWith(`${title}: `))
  }
}

/** At the end of a file: what it has delivered stands, once, as what it is called, and nothing of anybody else is changed. */
export function testVerdict(stage: () => JudgedStage): void {
  test('each document has its one post, called what it is; nothing of others is changed or deleted', async () => {
    await stage().judge()
  })
}

/** As it is called without what a plugin has made of its title. */
function named(post: RestItem, word: string): RestItem {
  const { raw } = post.title as { raw: string }
  const own = new RegExp(`${word} \\d+$`, 'i').exec(raw)?.[0].toLowerCase()
  return { ...post, title: { raw: own ?? raw } }
}

type Delivery = DeliveryData & { document_id: string }

async function everyDelivery({ galley }: DeliveryStage): Promise<Delivery[]> {
  const { body } = await galley.call<{ data: Delivery[] }>('GET', '/v1/deliveries?limit=100')
  return body.data
}

/** Whose post is in another status than its delivery says. One that is gone is none, unless it is called delivered. */
const miscalled = (documents: FaultDocument[], deliveries: Delivery[], posts: RestItem[]): string[] =>
  documents.flatMap(({ id, title }) => {
    const { status, post } = deliveries.find(({ document_id }) => document_id === id) ?? {}
    const found = posts.find((other) => other.id === post?.id)
    if (!post || found?.status === post.status || (!found && status !== 'delivered')) return []
    return [`${title}: post ${post.id} is ${found?.status ?? 'gone'}, and called ${post.status}`]
  })
