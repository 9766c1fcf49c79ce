import pMap from 'p-map'
import type { Pool } from 'pg'
import { isTransientDatabaseError } from '../../database/errors.ts'
import type { SiteImport, SiteImportLine } from '../../database/generated/client.ts'
import { execute, queryRows } from '../../database/statement.ts'
import { apiCode, GalleyError, isInterrupted } from '../../errors.ts'
import {
  createRetentionTask,
  createTask,
  enqueue,
  IS_ACCOUNT_ENABLED,
  isAccountEnabled,
  requeueUnfinished,
  type WorkFactory,
} from '../../jobs/job.ts'
import type { Logger } from '../../log/log.ts'
import { startChecks } from '../health/check-site.ts'
import { refuseTakenId, registerSite, verifyNewSite } from '../register.ts'
import { isConnectedSince, type ResumeSite, type SiteRegistry } from '../registry.ts'
import { IMPORTS, importJob, type LineOutcome, openRequested } from './job.ts'

/** Tasks of imports: their lines, and the removal of old reports. */
export const importWork =
  (needs: ImportDependencies & { retentionDays: number }): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(importJob, async ({ importId, accountId }) => {
        if (await runImport(needs, importId, stopping)) return
        await enqueue(needs.pool, importJob, { importId, accountId })
      }),
      createRetentionTask('forget_imports', '51 3 * * *', needs, async (days) => ({
        imports: await execute(needs.pool, FORGET, { days }),
      })),
    ],
    sweep: {
      rarely: [
        () =>
          requeueUnfinished(needs.pool, IMPORTS, importJob, { importId: 't.id', accountId: 't.account_id' }),
      ],
    },
  })

/** A file has at most 500 lines, so one statement suffices. */
const FORGET = `DELETE FROM site_import WHERE ended_at < now() - make_interval(days => :days)`

/** Sites asked at once. A site that does not answer holds its place for about two minutes of time-outs. */
const CONCURRENCY = 32

type ImportDependencies = SiteRegistry & { log: Logger; resume: ResumeSite; pool: Pool }

type ClaimedImport = Pick<SiteImport, 'id' | 'accountId' | 'dryRun' | 'fence' | 'createdAt'>

type ImportLine = Pick<SiteImportLine, 'id' | 'line' | 'siteId'> & { requested: string }

/**
 * Runs an import until it ends, or the process stops. A line interrupted by a crash is retried under
 * the same id, which tells whether its site was connected. A tried line's password is deleted.
 * @returns whether nothing is left to do for now
 */
export async function runImport(needs: ImportDependencies, id: string, stopping: AbortSignal) {
  const { pool } = needs
  const [claimed] = await queryRows<ClaimedImport>(pool, CLAIM, { id })
  // It has ended, or its account was removed or disabled.
  if (claimed === undefined) return true
  let enabled = true
  const isOver = async () => {
    enabled &&= await isAccountEnabled(pool, claimed.accountId)
    return !enabled || stopping.aborted
  }
  const lines = await queryRows<ImportLine>(pool, WAITING, { id })
  const attempt = async (line: ImportLine) => {
    if (await isOver()) return
    const { status, error } = await importLine(needs, claimed, line)
    const json = error === undefined ? null : JSON.stringify(error)
    await execute(pool, RECORD, { id: line.id, importId: id, fence: claimed.fence, status, error: json })
  }
  // A line that could not be stored does not prevent others; the job retries it.
  await pMap(lines, attempt, { concurrency: CONCURRENCY, stopOnError: false })
  // The rest is requeued once the account is enabled.
  if (await isOver()) return !enabled
  const connected = await queryRows<{ siteId: string }>(pool, CONNECTED, { id })
  const siteIds = connected.map(({ siteId }) => siteId)
  await startChecks(pool, claimed.accountId, siteIds)
  await execute(pool, END, { id, fence: claimed.fence })
  return true
}

/** Connects the site of one line, or only tries to. @throws what interrupts it: the line still waits */
async function importLine(
  needs: ImportDependencies,
  { accountId, dryRun, createdAt }: ClaimedImport,
  { id, line, requested, siteId }: ImportLine,
): Promise<LineOutcome> {
  try {
    if (!dryRun && (await isConnectedSince(needs, { accountId, id: siteId }, createdAt)))
      return { status: 'connected' }
    const site = { ...openRequested(needs.keyring, id, requested), id: siteId }
    // Limited keys cannot import.
    const scope = { accountId, siteIds: null }
    if (dryRun) {
      await refuseTakenId(needs.prisma, { accountId, id: siteId })
      await verifyNewSite(needs, scope, site)
      return { status: 'would_connect' }
    }
    await registerSite(needs, { ...scope, ...site })
    return { status: 'connected' }
  } catch (error) {
    if (isTransientDatabaseError(error) || isInterrupted(error)) throw error
    if (error instanceof GalleyError) {
      // The file spells the address or the user name differently.
      const status = error.code === 'SITE_CONNECTED_ALREADY' ? 'skipped' : 'refused'
      return { status, error: { code: apiCode(error.code), message: error.message } }
    }
    needs.log.error({ err: error, line }, 'a line of an import failed')
    const message = `Galley failed at this line. Its log has the reason, under line ${line}.`
    return { status: 'refused', error: { code: 'INTERNAL', message } }
  }
}

const CLAIM = `
  UPDATE site_import SET fence = fence + 1 WHERE id = :id AND ended_at IS NULL AND ${IS_ACCOUNT_ENABLED('account_id')}
  RETURNING id, account_id AS "accountId", dry_run AS "dryRun", fence, created_at AS "createdAt"`

const WAITING = `
  SELECT id, line, requested, site_id AS "siteId" FROM site_import_line
  WHERE import_id = :id AND status = 'waiting' ORDER BY line`

const RECORD = `
  UPDATE site_import_line SET status = :status, error = :error::jsonb, requested = NULL
  WHERE id = :id AND EXISTS (SELECT FROM site_import WHERE id = :importId AND fence = :fence)`

const CONNECTED = `
  SELECT site_id AS "siteId" FROM site_import_line WHERE import_id = :id AND status = 'connected'`

const END = `UPDATE site_import SET ended_at = now() WHERE id = :id AND fence = :fence`
