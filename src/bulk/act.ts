import type { Pool } from 'pg'
import { assertOwnerMailable, mailOwnerLink, type OwnerMailContext } from '../connect/owner-mail.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import {
  cancelDelivery,
  cancelMany,
  retryDelivery,
  retryMany,
  withdrawDelivery,
  withdrawMany,
} from '../delivery/api/actions.ts'
import { pauseSiteManually, resumeLockedSite, resumeSiteManually } from '../delivery/ledger/outage.ts'
import { checkByHand } from '../delivery/site-worker/check.ts'
import type { Logger } from '../log/log.ts'
import { connectionOf } from '../sites/connection.ts'
import { type SiteRegistry, siteRow } from '../sites/registry.ts'
import { sitePatchSchema } from '../sites/schema.ts'
import { revalidateSettings, updateLabels, updateSite } from '../sites/update.ts'
import { valuesBefore } from './job.ts'
import { type Action, actions } from './schema.ts'

export type ActionContext = SiteRegistry & OwnerMailContext & { log: Logger }

interface ActionTarget {
  accountId: string
  siteIds: string[] | null
  parameters: unknown
}

type ActionItem = ActionTarget & {
  id: string
  /** When its job was made, where a process that ended since had begun with it. */
  begunSince?: Date | undefined
}

type ActionItems = ActionTarget & { ids: readonly string[] }

interface ActionHandler {
  /** It speaks to a site, which may take minutes. */
  slow?: true
  /** The same as the call for a single one. @throws GalleyError as that does */
  act(context: ActionContext, item: ActionItem): Promise<unknown>
  /** Throws what `act` would, and changes nothing. */
  foresee(context: ActionContext, item: ActionItem): Promise<unknown>
  /** For several, in one statement. @returns those it was done to; `act` says what becomes of the others */
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

const retried = (target: ActionTarget, overwrite: boolean) => ({
  overwrite,
  leavesEdited: !overwrite,
  onLoss: actions.retry.parse(target.parameters).on_loss,
})

const retryAction = (overwrite: boolean): ActionHandler =>
  sqlAction(
    (pool, item) => retryDelivery(pool, { ...item, ...retried(item, overwrite) }),
    (database, items) => retryMany(database, { ...items, ...retried(items, overwrite) }),
  )

/** @param changes what becomes of a site, as `PATCH /v1/sites/{uuid}` takes it */
function siteAction(changes: (item: ActionItem, context: ActionContext) => unknown): ActionHandler {
  const patch = async (item: ActionItem, context: ActionContext) =>
    sitePatchSchema.parse(await changes(item, context))
  return {
    slow: true,
    async act(context, item) {
      const { accountId, siteIds, id } = item
      const registry = { ...context, resume: resumeLockedSite }
      await updateSite(registry, { accountId, siteIds, id }, await patch(item, context))
    },
    async foresee(context, item) {
      const { accountId, id } = item
      await revalidateSettings(context, { accountId, id }, await patch(item, context), undefined)
    },
  }
}

export const actionHandlers: Record<Action, ActionHandler> = {
  retry: retryAction(false),
  release: retryAction(false),
  move: sqlAction((pool, item) => {
    const { site_id: siteId } = actions.move.parse(item.parameters)
    return retryDelivery(pool, { ...item, siteId })
  }),
  overwrite: retryAction(true),
  withdraw: sqlAction(
    (pool, item) => withdrawDelivery(pool, { ...item, ...actions.withdraw.parse(item.parameters) }),
    (database, items) => withdrawMany(database, { ...items, ...actions.withdraw.parse(items.parameters) }),
  ),
  cancel: sqlAction(cancelDelivery, cancelMany),
  label: sqlAction((database, item) => updateLabels(database, item, actions.label.parse(item.parameters))),
  pause: sqlAction((database, item) =>
    pauseSiteManually(database, item, actions.pause.parse(item.parameters).reason ?? null),
  ),
  resume: sqlAction(resumeSiteManually),
  settings: siteAction(({ parameters }) => ({ settings: parameters })),
  undo: siteAction((item, { pool }) => valuesBefore(pool, item)),
  check: {
    slow: true,
    act: (context, { accountId, id }) => checkByHand(context, { accountId, id }),
    // Whether its password can be read.
    foresee: async (context, { accountId, id }) =>
      connectionOf(context.keyring, await siteRow(context, { accountId, id })),
  },
  mail_owner: { slow: true, act: mailOwnerLink, foresee: assertOwnerMailable },
}

/** What `work` finds where nothing of it is kept. */
export async function rollBack<Found>(
  pool: Pool,
  work: (database: Queryable) => Promise<Found>,
): Promise<Found> {
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
