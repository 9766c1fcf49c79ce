import { pino } from 'pino'
import { resumeLockedSite } from '../../src/delivery/ledger/outage.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { runImport } from '../../src/sites/import-job/work.ts'
import type { TestApp } from '../http/app.ts'

/** Does the job of an import to its end. */
export async function workOnImport(app: TestApp, id: string): Promise<void> {
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  const log = pino({ level: 'silent' })
  const needs = { ...app.database, keyring: app.keyring, outbound, log, resume: resumeLockedSite }
  await runImport(needs, id, new AbortController().signal).finally(() => outbound.close())
}

/** Imports a file of sites. @returns its lines in the end */
export async function importCsv(app: TestApp, body: string, { query = '', key = app.owner.key } = {}) {
  const headers = { 'content-type': 'text/csv' }
  const { id } = (await app.ask('POST', `/v1/imports${query}`, { body, headers, key })).body
  await workOnImport(app, id)
  return (await app.ask('GET', `/v1/imports/${id}`, { key })).body.data.results
}
