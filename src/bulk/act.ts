import type { Pool } from 'pg'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { cancelDelivery, cancelMany, retryDelivery, retryMany } from '../delivery/api/actions.ts'
import {
  pauseSiteManually,
  resumeLockedSite,
  resumeSite,
  resumeSiteManually,
} from '../delivery/ledger/pause-and-resume.ts'
import { connectionOf } from '../sites/connection.ts'
import { checkSite } from '../sites/health/check-site.ts'
import { type SiteRegistry, siteRow, siteUnknown } from '../sites/registry.ts'
import { revalidateSettings, updateLabels, updateSite } from '../sites/update.ts'
import { type Action, actions, settingsPatch } from './schema.ts'

/** What actions work with. */
export type ActionContext = SiteRegistry & { pool: Pool }

/** Whose items a job touches, and how. */
interface ActionTarget {
  accountId: string
  siteIds: string[] | null
  parameters: unknown
}

/** One item of a job. */
type ActionItem = ActionTarget & { id: string }

/** Several of them. */
type ActionItems = ActionTarget & { ids: readonly string[] }

interface ActionHandler {
  /** It speaks to a site, which may take minutes. */
  slow?: true
  /** The same as the call for a single one. @throws GalleyError as that does */
  act(context: ActionContext, item: ActionItem): Promise<unknown>
  /** Throws what `act` would, and changes nothing. */
  foresee(context: ActionContext, item: ActionItem): Promise<unknown>
  /**
   * The same for several, in one statement.
   *
   * @returns those that it was done to; of all others `act` says what becomes of them
   */
  actOnMany?(database: Queryable, items: ActionItems): Promise<ReadonlySet<string>>
}

/** What is done in SQL alone is foreseen by doing it and undoing it: its refusals are then those of the action. */
const sqlAction = (
  act: (database: Queryable, item: ActionItem) => Promise<unknown>,
  actOnMany?: ActionHandler['actOnMany'],
): ActionHandler => ({
  act: ({ pool }, item) => act(pool, item),
  foresee: ({ pool }, item) => rollBack(pool, (database) => act(database, item)),
  ...(actOnMany && { actOnMany }),
})

const retryAction = (overwrite: boolean): ActionHandler =>
  sqlAction(
    (pool, item) => retryDelivery({ pool }, { ...item, overwrite }),
    (database, items) => retryMany(database, { ...items, overwrite }),
  )

/** Of every action, what it does to one item. */
export const actionHandlers: Record<Action, ActionHandler> = {
  retry: retryAction(false),
  release: retryAction(false),
  move: sqlAction((pool, item) => {
    const { site_id: siteId } = actions.move.parse(item.parameters)
    return retryDelivery({ pool }, { ...item, siteId })
  }),
  overwrite: retryAction(true),
  cancel: sqlAction((pool, item) => cancelDelivery({ pool }, item), cancelMany),
  label: sqlAction(async (database, item) => {
    if (!(await updateLabels(database, item, actions.label.parse(item.parameters)))) throw siteUnknown(item)
  }),
  pause: sqlAction(async (database, item) => {
    const { reason = null } = actions.pause.parse(item.parameters)
    if (!(await pauseSiteManually(database, item, reason))) throw siteUnknown(item)
  }),
  resume: sqlAction(async (database, item) => {
    if (!(await resumeSiteManually(database, item))) throw siteUnknown(item)
  }),
  settings: {
    slow: true,
    act: (context, { accountId, siteIds, id, parameters }) =>
      updateSite(
        { ...context, resume: resumeLockedSite },
        { accountId, siteIds, id },
        settingsPatch(parameters),
      ),
    foresee: (context, { accountId, id, parameters }) =>
      revalidateSettings(context, { accountId, id }, settingsPatch(parameters), undefined),
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
 * Does to several items at once what one statement can do to them all. A dry run only says to which it could.
 *
 * @returns those that it was done to; none where the action is done to each by itself
 */
export async function applyToMany(
  { pool }: Pick<ActionContext, 'pool'>,
  { action, dryRun }: { action: Action; dryRun: boolean },
  items: ActionItems,
): Promise<ReadonlySet<string>> {
  const { actOnMany } = actionHandlers[action]
  if (actOnMany === undefined || items.ids.length < 2) return new Set()
  return dryRun ? rollBack(pool, (database) => actOnMany(database, items)) : actOnMany(pool, items)
}

/** What `work` finds where nothing of it is kept. */
async function rollBack<Found>(pool: Pool, work: (database: Queryable) => Promise<Found>): Promise<Found> {
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
