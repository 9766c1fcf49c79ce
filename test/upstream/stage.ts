import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { startUpstream, type UpstreamServer } from './server.ts'

/** One Galley for a file, with a site that takes all it is sent, and an upstream for each test. */
export let stage: SimulatedStage
export let siteId: string
export let upstream: UpstreamServer

export function setUpUpstream(): void {
  beforeAll(async () => {
    stage = await startSimulated({ concurrency: 4 })
    siteId = (stage.sites[0] as { id: string }).id
  })
  afterAll(() => stage.close())
  beforeEach(async () => {
    upstream = await startUpstream()
    return () => upstream.close()
  })
}
