import type { Pool } from 'pg'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { cancelDelivery } from '../delivery/api/cancel.ts'
import { retryDelivery } from '../delivery/api/retry.ts'
import { cancelTogether, retryTogether } from '../delivery/api/together.ts'
import { pauseByHand, resumeByHand } from '../delivery/ledger/pause-by-hand.ts'
import { resumeLocked, resumeSite } from '../delivery/ledger/resume.ts'
import { connectionOf } from '../sites/connection.ts'
import { checkSite } from '../sites/health/check-site.ts'
import { type SiteRegistry, siteRow, siteUnknown } from '../sites/registry.ts'
import { relabel } from '../sites/relabel.ts'
import { holdAgainstSite, updateSite } from '../sites/update.ts'
import { type Action, actions, settingsPatch } from './schema.ts'

/** What actions work with. */
export type ActionContext = SiteRegistry & { pool: Pool }

/** Whose items a job touches, and how. */
interface Touching {
  accountId: string
  siteIds: string[] | null
  parameters: unknown
}

/** One item of a job. */
type Item = Touching & { id: string }

/** Several of them. */
export type Items = Touching & { ids: readonly string[] }

interface ActionHandler {
  /** It speaks to a site, which may take minutes. */
  slow?: true
  /** The same as the call for a single one. @throws GalleyError as that does */
  act(context: ActionContext, item: Item): Promise<unknown>
  /** Throws what `act` would, and changes nothing. */
  foresee(context: ActionContext, item: Item): Promise<unknown>
  /**
   * The same for several, in one statement.
   *
   * @returns those that it was done to; of all others `act` says what becomes of them
   */
  together?(database: Queryable, items: Items): Promise<ReadonlySet<string>>
}

/** What is done in SQL alone is foreseen by doing it and undoing it: its refusals are then those of the action. */
const inSql = (
  act: (database: Queryable, item: Item) => Promise<unknown>,
  together?: ActionHandler['together'],
): ActionHandler => ({
  act: ({ pool }, item) => act(pool, item),
  foresee: ({ pool }, item) => undone(pool, (database) => act(database, item)),
  ...(together && { together }),
})

const retry = (overwrite: boolean): ActionHandler =>
  inSql(
    (pool, item) => retryDelivery({ pool }, { ...item, overwrite }),
    (database, items) => retryTogether(database, { ...items, overwrite }),
  )

/** Of every action, what it does to one item. */
export const actionHandlers: Record<Action, ActionHandler> = {
  retry: retry(false),
  release: retry(false),
  move: inSql((pool, item) => {
    const { site_id: siteId } = actions.move.parse(item.parameters)
    return retryDelivery({ pool }, { ...item, siteId })
  }),
  overwrite: retry(true),
  cancel: inSql((pool, item) => cancelDelivery({ pool }, item), cancelTogether),
  label: inSql(async (database, item) => {
    if (!(await relabel(database, item, actions.label.parse(item.parameters)))) throw siteUnknown(item)
  }),
  pause: inSql(async (database, item) => {
    const { reason = null } = actions.pause.parse(item.parameters)
    if (!(await pauseByHand(database, item, reason))) throw siteUnknown(item)
  }),
  resume: inSql(async (database, item) => {
    if (!(await resumeByHand(database, item))) throw siteUnknown(item)
  }),
  settings: {
    slow: true,
    act: (context, { accountId, siteIds, id, parameters }) =>
      updateSite({ ...context, resume: resumeLocked }, { accountId, siteIds, id }, settingsPatch(parameters)),
    foresee: (context, { accountId, id, parameters }) =>
      holdAgainstSite(context, { accountId, id }, settingsPatch(parameters), undefined),
  },
  check: {
    slow: true,
    async act(context, { accountId, id }) {
      const { level } = await checkSite(context, { accountId, id })
      if (level !== 'problem') await resumeSite(context.pool, { accountId, id })
    },
    // Whether its password can be read.
    foresee: async (context, { accountId, id }) =>
      connectionOf(context.keyring, await siteRow(context, { accountId, id })),
  },
}

/**
 * Does to several items at once what can be done to them together, or says, in a dry run, to which it could be.
 *
 * @returns those that it was done to; none where the action is done to each by itself
 */
export async function doTogether(
  { pool }: Pick<ActionContext, 'pool'>,
  { action, dryRun }: { action: Action; dryRun: boolean },
  items: Items,
): Promise<ReadonlySet<string>> {
  const { together } = actionHandlers[action]
  if (together === undefined || items.ids.length < 2) return new Set()
  return dryRun ? undone(pool, (database) => together(database, items)) : together(pool, items)
}

/** What `work` finds where nothing of it is kept. */
async function undone<Found>(pool: Pool, work: (database: Queryable) => Promise<Found>): Promise<Found> {
  let found: { is: Found } | undefined
  try {
    await inTransaction(pool, async (database) => {
      found = { is: await work(database) }
      throw new Error('undone')
    })
  } catch (error) {
    if (found === undefined) throw error
  }
  return (found as { is: Found }).is
}
