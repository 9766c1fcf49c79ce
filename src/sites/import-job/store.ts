import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import { addJob } from '../../jobs/job.ts'
import { refuseTooMany } from '../../jobs/under-way.ts'
import { plannedRows } from '../import.ts'
import type { SiteRegistry } from '../registry.ts'
import { importJob } from './jobs.ts'
import { sealRequested } from './requested-site.ts'

interface NewImport {
  id?: string
  accountId: string
  csv: string
  dryRun: boolean
}

/**
 * Stores a file of sites to be connected by a job: it is on disk when this resolves, passwords encrypted. What no site
 * has to be asked about is said of its line at once. The same id again changes nothing.
 *
 * @returns the id of the import
 * @throws GalleyError 422 `CSV_UNREADABLE`; 429 `TOO_MANY_JOBS`
 */
export async function storeImport(
  { prisma, keyring, pool }: Pick<SiteRegistry, 'prisma' | 'keyring'> & { pool: Pool },
  { id = uuid(), accountId, csv, dryRun }: NewImport,
): Promise<string> {
  await refuseTooMany(pool, IMPORTS, { id, accountId })
  const lines = (await plannedRows({ prisma }, accountId, csv)).map(({ row, end }) => {
    const lineId = uuid()
    const site = 'site' in row && end === null ? row.site : null
    return {
      id: lineId,
      line: row.line,
      status: end?.status ?? 'waiting',
      requested: site && sealRequested(keyring, lineId, site),
      siteId: site?.id ?? uuid(),
      error: end?.error === undefined ? null : storableJson(end.error),
    }
  })
  await pool.query(
    named(STORE, {
      ...{ id, accountId, dryRun },
      ids: lines.map((line) => line.id),
      numbers: lines.map((line) => line.line),
      statuses: lines.map((line) => line.status),
      requested: lines.map((line) => line.requested),
      siteIds: lines.map((line) => line.siteId),
      errors: lines.map((line) => line.error),
    }),
  )
  return id
}

export const IMPORTS = { table: 'site_import', ended: 'ended_at', called: 'imports' } as const

const STORE = `
  WITH stored AS (
    INSERT INTO site_import (id, account_id, dry_run) VALUES (:id, :accountId, :dryRun)
    ON CONFLICT (id) DO NOTHING RETURNING id
  ), lines AS (
    INSERT INTO site_import_line (id, import_id, line, status, requested, site_id, error)
    SELECT given.id, stored.id, given.line, given.status, given.requested, given.site_id, given.error::jsonb
    FROM stored, unnest(:ids::uuid[], :numbers::int[], :statuses::text[], :requested::text[], :siteIds::uuid[], :errors::text[])
      AS given (id, line, status, requested, site_id, error)
  )
  SELECT ${addJob(importJob, { importId: 'id', accountId: ':accountId::uuid' })} FROM stored`
