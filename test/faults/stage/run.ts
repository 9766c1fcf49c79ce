import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { removeAll } from '../../support/wordpress/index.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type DocumentMaker, startDocuments } from './documents.ts'
import { type Lane, openLane } from './lane.ts'

/** Processes of Galley to be killed, documents for them, and a proxy in front of the site to which they go. */
export interface FaultRun {
  cluster: Cluster
  documents: DocumentMaker
  lane: Lane
  /** Removes from the site what the run made there, and ends everything. */
  close(): Promise<void>
}

/** @param roles of the processes, one at each place */
export async function startRun(
  roles: Parameters<typeof startCluster>[0],
  timing: Timing,
  ofLane?: Parameters<typeof openLane>[1],
): Promise<FaultRun> {
  const cluster = await startCluster(roles, timing)
  const documents = await startDocuments()
  const lane = await openLane(cluster, ofLane)
  return {
    cluster,
    documents,
    lane,
    async close() {
      await removeAll(documents.word)
      await cluster.stop()
      await lane.proxy.close()
      await documents.close()
    },
  }
}
