import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { postMarker } from '../../src/delivery/ledger/ownership.ts'
import type { Timing } from '../../src/jobs/heartbeat.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from '../faults/stage/documents.ts'
import { type Lane, openLane } from '../faults/stage/lane.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import {
  type DeliveryData,
  settled,
  startTestGalley,
  type TestGalley,
  webhookPath,
} from '../support/galley.ts'
import type { Role } from '../support/wordpress/index.ts'
import { removeAll } from '../support/wordpress/index.ts'

/** A Galley, its database, and documents, for tests of what happens to a delivery. */
export interface DeliveryStage {
  galley: TestGalley
  pool: Pool
  documents: DocumentMaker
  /** The connection of all tests that break none of its requests and change none of its settings. @returns its id */
  site(): Promise<string>
  /** Connects the real WordPress once more, through a proxy of its own. */
  lane(role?: Role, settings?: object, id?: string): Promise<Lane>
  /** The slug that marks the post of this document while its delivery to this site makes it. */
  markerOf(siteId: string, documentId: string): Promise<string>
  /** Sends a webhook and does not wait for what comes of it. */
  send(document: FaultDocument): Promise<void>
  /** Sends a webhook and waits until its delivery rests. */
  deliver(document: FaultDocument): Promise<DeliveryData>
  close(): Promise<void>
}

/** Nobody is killed here: a Galley that looks around three times a second takes more of a processor than the deliveries. */
const restful = { beatMs: 1_000, sweepMs: 1_000 }

/** @param documents whether they show a picture where a test does not say: its upload takes as much as half a delivery */
export async function startStage(
  timing: Partial<Timing> = {},
  { picture = true } = {},
): Promise<DeliveryStage> {
  const database = await freshDatabase()
  const galley = await startTestGalley({}, database, { ...quickTiming, ...restful, ...timing })
  const pool = new Pool({ connectionString: database.connectionString, max: 4 })
  const made = await startDocuments()
  const documents: DocumentMaker = {
    ...made,
    make: (siteId, requested) => made.make(siteId, { picture, ...requested }),
  }
  const webhook = await webhookPath(galley)
  const lanes: Lane[] = []
  const send = async (document: FaultDocument) => {
    const { status } = await galley.call('POST', webhook, document.body)
    if (status !== 202) throw new Error(`${document.title} was answered ${status}`)
  }
  const lane = async (role: Role = 'editor', settings: object = {}, id?: string) => {
    const opened = await openLane({ call: galley.call, pool }, { role, settings, id })
    lanes.push(opened)
    return opened
  }
  let shared: Promise<Lane> | undefined
  return {
    galley,
    pool,
    documents,
    send,
    async site() {
      shared ??= lane()
      return (await shared).siteId
    },
    lane,
    async markerOf(site_id, document_id) {
      const { rows } = await pool.query('SELECT account_id FROM site WHERE id = $1', [site_id])
      return postMarker({ account_id: rows[0].account_id, site_id, document_id })
    },
    async deliver(document) {
      await send(document)
      // A look at the table costs a fiftieth of one by the API, and is no end yet.
      const resting = `SELECT FROM delivery WHERE document_id = $1 AND status NOT IN ('queued', 'delivering')`
      for (let looks = 0; looks < 100; looks++)
        if ((await pool.query(resting, [document.id])).rowCount) break
        else await wait(25)
      return settled(galley, document.id)
    },
    async close() {
      await removeAll(documents.word)
      await galley.stop()
      for (const { proxy } of lanes) await proxy.close()
      await documents.close()
      await pool.end()
      await database.drop()
    },
  }
}
