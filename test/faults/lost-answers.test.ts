import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { settled } from '../support/galley.ts'
import { answer, restError } from '../support/proxy/index.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

let stage: SimulatedStage
let network: DatabaseProxy

beforeAll(async () => {
  stage = await startSimulated({
    sites: 3,
    through: async (own) => {
      network = await startDatabaseProxy(own)
      return network.connectionString
    },
  })
})
afterAll(async () => {
  await stage.close()
  await network.close()
})

test.each([
  ['the settlement', ', ended AS (', 'SELECT 1'],
  ['the end of the transaction', 'paused_until = NULL, attention_at = now()', 'COMMIT'],
  ['that the site is locked', 'SELECT last_success_at AS "servedAt" FROM site', 'SELECT 1'],
])(
  'where the database answers that it has taken a refused password, and the answer to %s is lost, site and delivery say the same',
  async (name, statement, tag) => {
    const index = ['the settlement', 'the end of the transaction', 'that the site is locked'].indexOf(name)
    const { id: siteId, proxy } = stage.sites[index] as (typeof stage.sites)[number]
    proxy.rule({}, answer(restError(401, 'incorrect_password', 'The password is wrong.')))
    const lost = network.lost
    network.lose(statement, tag)
    const document = await stage.send(siteId)
    expect(await settled(stage.galley, document)).toMatchObject({
      status: 'held',
      error: { code: 'password_wrong' },
    })
    expect(network.lost).toBe(lost + 1)
    const { rows } = await stage.pool.query(
      `SELECT trouble ->> 'code' AS code, paused_until FROM site WHERE id = $1`,
      [siteId],
    )
    expect(rows).toEqual([{ code: 'password_wrong', paused_until: null }])
  },
)
