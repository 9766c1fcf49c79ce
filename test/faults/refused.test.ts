import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../support/galley.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

let stage: SimulatedStage

beforeAll(async () => {
  stage = await startSimulated({ sites: 2 })
  // A database that does not take what one document leads to, at one place or another.
  await stage.pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'unsupported Unicode escape sequence' USING ERRCODE = TG_ARGV[0]; END $$`,
  )
})

afterAll(() => stage.close())

async function idOf(documentId: string): Promise<string> {
  const { rows } = await stage.pool.query('SELECT id FROM delivery WHERE document_id = $1', [documentId])
  return rows[0].id
}

const refusing = (name: string, table: string, when: string, code: string) =>
  stage.pool.query(
    `CREATE TRIGGER ${name} BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse('${code}')`,
  )

test.each([
  [
    'how it ended',
    'delivery',
    (id: string) => `NEW.document_id = '${id}' AND NEW.status = 'delivered'`,
    '22P05',
  ],
  [
    'what a step learned',
    'delivery',
    (id: string) => `NEW.document_id = '${id}' AND NEW.post_id IS NOT NULL`,
    '23514',
  ],
  [
    'a line of its timeline',
    'delivery_step',
    (_: string, deliveryId: string) => `NEW.delivery_id = '${deliveryId}' AND NEW.step = 'verify'`,
    '22001',
  ],
])(
  'a delivery of which the database refuses %s is held with its words, and the site serves the next',
  async (name, table, when, code) => {
    const [{ id: siteId } = { id: '' }] = stage.sites
    await stage.pool.query(
      'UPDATE site SET paused_until = now() + interval \'1 hour\', trouble = \'{"code": "x"}\' WHERE id = $1',
      [siteId],
    )
    const documentId = await stage.send(siteId)
    const trigger = `refuse_${name.replaceAll(' ', '_')}`
    await refusing(trigger, table, when(documentId, await idOf(documentId)), code)
    await stage.pool.query('UPDATE site SET paused_until = NULL, trouble = NULL WHERE id = $1', [siteId])
    const next = await stage.send(siteId)

    const delivery = await settled(stage.galley, documentId)
    expect(delivery).toMatchObject({ status: 'held', error: { code: 'not_storable' } })
    expect(delivery.error?.message).toContain(`unsupported Unicode escape sequence (SQLSTATE ${code})`)
    await stage.pool.query(`DROP TRIGGER ${trigger} ON ${table}`)
    expect(await settled(stage.galley, next)).toMatchObject({ status: 'delivered' })

    // A person has taken out what it was.
    await stage.galley.call('POST', `/v1/deliveries/${delivery.id}/retry`)
    await expect.poll(async () => (await settled(stage.galley, documentId)).status).toBe('delivered')
  },
)

test('a site whose failure the database refuses to keep in its words is paused all the same', async () => {
  const [, site] = stage.sites
  if (site === undefined) throw new Error('there are two')
  await refusing('refuse_words', 'delivery', `NEW.error ->> 'message' LIKE '%502%'`, '22P05')
  site.proxy.rule(
    {},
    { name: 'down', apply: ({ reply }) => reply({ status: 502, headers: {}, body: Buffer.from('') }) },
  )
  const documentId = await stage.send(site.id)
  const trouble = async () => {
    const { rows } = await stage.pool.query('SELECT trouble FROM site WHERE id = $1', [site.id])
    return rows[0].trouble?.code
  }
  await expect.poll(trouble).toBe('gateway_error')
  site.proxy.clear()
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'delivered', attempts: 0 })
})
