import type { Pool } from 'pg'
import { databaseFailure } from './errors.ts'

interface PendingItem {
  item: unknown
  resolve(found: unknown): void
  reject(error: unknown): void
}

type BatchQuery = (items: readonly unknown[]) => Promise<readonly unknown[]>

/** Items of one statement at most. */
const MAX_BATCH = 64

/** What is asked in this moment, by the pool that is asked and the name of the question. */
const openBatches = new WeakMap<Pool, Map<string, PendingItem[]>>()

/**
 * Asks the database for one item together with all that are asked for under the same name in the same moment: one
 * statement, one commit. Where it is refused or given up for one of them, each is asked for by itself.
 *
 * @param many answers each item, in their order; the same for all who ask under this name
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
    // Nothing was stored, and it is the fault of one: the others must not suffer for it.
    if (all.length > 1 && (trouble === 'refused' || trouble === 'conflict'))
      await Promise.all(all.map((one) => resolveBatch([one], many)))
    else for (const { reject } of all) reject(error)
  }
}
