import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'

let stage: DeliveryStage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

it('a site that many ask to have checked at once is looked at twice: now, and once more for all who came meanwhile', async () => {
  const { siteId, proxy } = await stage.lane('editor')
  const check = () => stage.galley.call('POST', `/v1/sites/${siteId}/check`)
  const answers = await Promise.all(Array.from({ length: 12 }, check))
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { success: true } })
  // Each check tries once whether the site takes several requests in one.
  expect(proxy.requests.filter(({ path }) => path === '/batch/v1')).toHaveLength(2)
})
