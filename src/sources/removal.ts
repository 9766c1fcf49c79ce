import { z } from 'zod'
import type { Database } from '../database/client.ts'
import { Prisma, type PrismaClient } from '../database/generated/client.ts'
import { MANY_ROWS } from '../database/statement.ts'
import { conflict } from '../errors.ts'
import { addJob, createTask, defineJob, enqueue, type WorkFactory } from '../jobs/job.ts'
import { createToken, hashToken } from '../secrets/keyring.ts'
import { changeableSource, type SourceId, type SourceStore } from './sources.ts'

/** Deliveries counted for the message; a source that has sent more is in use as well. */
const MAX_COUNTED = 1_000

/**
 * Removes a source: its address ends at once, and its events go in batches, the first now and the others by a job. An event that
 * was being stored meanwhile stays until its delivery is done.
 * @throws GalleyError 404; 409 `SOURCE_BUILT_IN`, and `SOURCE_IN_USE` while a delivery still needs the document of one of its events
 */
export async function deleteSource({ prisma }: Pick<SourceStore, 'prisma'>, source: SourceId): Promise<void> {
  const { id, accountId } = source
  await changeableSource(prisma, { id, accountId })
  const [{ count } = { count: 0 }] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM delivery d
      -- OFFSET keeps it a look at one event for each of the few that are not done, whatever the source has sent.
      CROSS JOIN LATERAL (
        SELECT FROM event e WHERE e.id = d.wanted_event_id AND e.source_id = ${id}::uuid OFFSET 0) AS sent
      WHERE d.account_id = ${accountId}::uuid AND d.status <> 'delivered'
      LIMIT ${MAX_COUNTED}) AS needed`
  if (count > 0)
    throw conflict(
      'SOURCE_IN_USE',
      (count === 1
        ? 'One delivery that is not done needs a document this source sent. '
        : `${count === MAX_COUNTED ? `${count} or more` : count} deliveries that are not done need documents this source sent. `) +
        'Disable it instead ({"disabled": true}), and delete it once nothing needs it.',
    )
  await prisma.$executeRaw`
    WITH removed AS (
      UPDATE source SET removed_at = now(), token_hash = ${hashToken(createToken())}, previous_token_hash = NULL,
        signing_secret = NULL, previous_signing_secret = NULL, upstream_api_key = NULL
      WHERE id = ${id}::uuid AND removed_at IS NULL RETURNING id
    )
    SELECT ${Prisma.raw(addJob(removeSourceJob, { sourceId: 'id' }))} FROM removed`
  if ((await removeBatch(prisma, id, FIRST_DIGEST)) === null) await removeIfEmpty(prisma, id)
}

/** Removes what is left of a removed source, until asked to stop. @returns whether it is gone */
export async function finishRemoval(prisma: PrismaClient, sourceId: string, stopping: AbortSignal) {
  let from: Uint8Array<ArrayBuffer> | null = FIRST_DIGEST
  while (from !== null && !stopping.aborted) from = await removeBatch(prisma, sourceId, from)
  return removeIfEmpty(prisma, sourceId)
}

/** Before every digest. */
const FIRST_DIGEST = new Uint8Array()

/**
 * Removes the next events behind `from`, in the order of the index that has them by source. Not those that a delivery
 * needs which came while the source was being removed.
 * @returns from where to go on; null where nothing was left
 */
async function removeBatch(prisma: PrismaClient, sourceId: string, from: Uint8Array<ArrayBuffer>) {
  const [batch] = await prisma.$queryRaw<{ seen: number; last: Uint8Array<ArrayBuffer> }[]>`
    WITH next AS (
      SELECT e.id, e.account_id, e.digest FROM event e
      WHERE e.source_id = ${sourceId}::uuid AND e.digest > ${from}
        AND EXISTS (SELECT 1 FROM source s WHERE s.id = ${sourceId}::uuid AND s.removed_at IS NOT NULL)
      ORDER BY e.digest LIMIT ${MANY_ROWS}
    ), removed AS (
      -- Written so that each event is looked up by its index: as a join, whole tables might be read for a batch.
      DELETE FROM event WHERE id = ANY (ARRAY(
        SELECT next.id FROM next WHERE (
          SELECT d.id FROM delivery d
          WHERE d.account_id = next.account_id AND d.wanted_event_id = next.id AND d.status <> 'delivered' LIMIT 1
        ) IS NULL))
    )
    SELECT (SELECT count(*)::int FROM next) AS seen, digest AS last FROM next ORDER BY digest DESC LIMIT 1`
  return batch === undefined || batch.seen < MANY_ROWS ? null : batch.last
}

/** The row itself, once nothing refers to it. @returns whether it is gone */
const removeIfEmpty = (prisma: PrismaClient, sourceId: string): Promise<boolean> =>
  prisma.$transaction(async (transaction) => {
    // Storing an event locks its source against this lock: none can arrive between the look and the end.
    await transaction.$queryRaw`SELECT id FROM source WHERE id = ${sourceId}::uuid FOR UPDATE`
    const left = { where: { sourceId }, orderBy: { digest: 'asc' }, select: { id: true } } as const
    if ((await transaction.event.findFirst(left)) !== null) return false
    await transaction.source.deleteMany({ where: { id: sourceId, removedAt: { not: null } } })
    return true
  })

export const removeSourceJob = defineJob({
  name: 'remove_source',
  payload: z.object({ sourceId: z.guid() }),
  key: ({ sourceId }) => `('remove_source:' || ${sourceId})`,
})

/** Milliseconds after which a removed source is looked at again that a delivery still needs an event of. */
const REMOVAL_RETRY_MS = 3_600_000

export const sourceWork =
  ({ prisma, pool }: Database): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(removeSourceJob, async ({ sourceId }) => {
        if (await finishRemoval(prisma, sourceId, stopping)) return
        await enqueue(pool, removeSourceJob, { sourceId }, REMOVAL_RETRY_MS)
      }),
    ],
  })
