import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import { settled } from '../support/galley.ts'
import { poisonous } from '../support/proxy/index.ts'
import { together } from './stage/cohort.ts'
import type { FaultDocument } from './stage/documents.ts'
import type { Lane } from './stage/lane.ts'
import { atRest, judge } from './stage/oracle.ts'
import { nothingWrong, report } from './stage/report.ts'

/** Beside the poisonous one. */
const OTHERS = 7
/** Cohorts sent after the first, at most, until it is blamed. */
const MORE = 12

let stage: DeliveryStage
const acknowledged: FaultDocument[] = []

beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close(), 600_000)

const newDocuments = ({ siteId }: Lane, count: number): FaultDocument[] => {
  const cohort = Array.from({ length: count }, () => stage.documents.make(siteId, { picture: false }))
  acknowledged.push(...cohort)
  return cohort
}

const attemptsOf = async ({ id }: FaultDocument): Promise<number> => {
  const { rows } = await stage.pool.query('SELECT attempts FROM delivery WHERE document_id = $1', [id])
  return rows[0].attempts
}

test.each([
  ['reserve', ({ title }: FaultDocument) => `"${title}"`],
  ['fill', ({ says }: FaultDocument) => `${says},`],
])(
  'a document over whose %s PHP ends, in a batch and alone, is blamed alone, and all beside it go through',
  async (_, textOf) => {
    const lane = await stage.lane('editor', { concurrency: 4 })
    const [poison] = newDocuments(lane, 1) as [FaultDocument]
    const others = newDocuments(lane, OTHERS)
    lane.proxy.rule({ method: 'POST' }, poisonous(textOf(poison)))
    await together(stage.pool, lane.siteId, async () => {
      for (const document of [...others.slice(0, 3), poison, ...others.slice(3)]) await stage.send(document)
    })
    const delivered = async (documents: FaultDocument[]) => {
      for (const { id } of documents)
        expect(await settled(stage.galley, id)).toMatchObject({
          status: 'delivered',
          attempts: 0,
          warnings: [],
        })
    }
    await delivered(others)
    for (let sent = 0; sent < MORE && (await attemptsOf(poison)) === 0; sent += 1) {
      const next = newDocuments(lane, 3)
      for (const document of next) await stage.send(document)
      await delivered(next)
    }
    expect(await attemptsOf(poison)).toBeGreaterThan(0)
    lane.proxy.clear()
    await expect.poll(async () => (await settled(stage.galley, poison.id)).status).toBe('delivered')
  },
)

test('and each has one post in the end', async () => {
  await atRest(stage.pool, 60)
  const verdict = await judge(stage.pool, stage.documents.word, acknowledged)
  report('poison in batches', verdict)
  expect(verdict).toMatchObject({ ...nothingWrong, delivered: acknowledged.length })
})
