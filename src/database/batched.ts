import type { Pool } from 'pg'
import { databaseFailure } from './errors.ts'

interface PendingItem {
  item: unknown
  resolve(found: unknown): void
  reject(error: unknown): void
}

type BatchQuery = (items: readonly unknown[]) => Promise<readonly unknown[]>

const MAX_BATCH = 64

/** Items of the current tick, by pool and name of the question. */
const openBatches = new WeakMap<Pool, Map<string, PendingItem[]>>()

/**
 * Asks for one item together with all that are asked for under the same name in the same tick: one
 * statement, one commit. When the batch is refused or given up, each item is asked for alone.
 *
 * @param many answers each item, in their order; the same function for each name
 */
export function batched<Item, Found>(
  pool: Pool,
  name: string,
  item: Item,
  many: (items: readonly Item[]) => Promise<readonly Found[]>,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const asked = { item, resolve: resolve as PendingItem['resolve'], reject }
    const questions = openBatches.get(pool) ?? new Map<string, PendingItem[]>()
    openBatches.set(pool, questions)
    const others = questions.get(name)
    if (others !== undefined && others.length < MAX_BATCH) {
      others.push(asked)
      return
    }
    const all = [asked]
    questions.set(name, all)
    setImmediate(() => {
      if (questions.get(name) === all) questions.delete(name)
      void resolveBatch(all, many as unknown as BatchQuery)
    })
  })
}

async function resolveBatch(all: readonly PendingItem[], many: BatchQuery): Promise<void> {
  try {
    const found = await many(all.map(({ item }) => item))
    for (const [index, { resolve }] of all.entries()) resolve(found[index])
  } catch (error) {
    const trouble = databaseFailure(error)
    // One bad item must not fail the others; nothing was stored.
    if (all.length > 1 && (trouble === 'refused' || trouble === 'conflict'))
      await Promise.all(all.map((one) => resolveBatch([one], many)))
    else for (const { reject } of all) reject(error)
  }
}
