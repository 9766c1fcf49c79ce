import type { Pool } from 'pg'
import { storeNotification } from '../../notifications/store.ts'
import { completed } from '../../support/webhooks.ts'
import { rest, wordpress } from '../../support/wordpress/index.ts'
import type { Answered, Asked, TestApp } from '../app.ts'

/** What a call is asked with: its path filled in, a query, a body. */
export interface Call extends Asked {
  path?: Record<string, string>
  query?: string
}

/** What earlier calls made, by the names of their operations. */
export type Made = ReadonlyMap<string, Answered['body']>

const id = '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'
const at = (uuid: string) => ({ path: { uuid } })
const text = (body: string, type: string): Call => ({ body, headers: { 'content-type': type } })

const credentials = () => {
  const { login, applicationPassword } = wordpress().users.editor
  return { username: login, application_password: applicationPassword }
}

const document = () => ({ data: completed().data, delivery: { post_status: 'draft' } })

/** Completes a document without its narration. */
async function leaveOutNarration(pool: Pool, uuid: string): Promise<void> {
  await pool.query(
    `UPDATE generation_job SET status = 'completed', result = $2, ended_at = now(), due_at = NULL WHERE id = $1`,
    [uuid, completed().data],
  )
  await pool.query(
    `INSERT INTO generation_part (job_id, step, name, answer, answered_at)
     VALUES ($1, 'audio', 'narration-left-out', '{"text": "The voice is gone."}', now())`,
    [uuid],
  )
}

/** The token of an address that was shown. */
const token = (address: string) => ({ token: new URL(address).pathname.split('/').pop() as string })

/** Every operation, in an order in which each finds what it needs, and succeeds. */
export const calls: Record<string, (made: Made, app: TestApp) => Call | Promise<Call>> = {
  readAbout: () => ({ headers: { accept: 'application/json' } }),
  readDescription: () => ({}),
  readHealth: () => ({}),
  readReadiness: () => ({}),
  readMetrics: () => ({}),
  getAccount: () => ({}),
  updateAccount: () => ({ body: { name: 'Harbour Press', notify_steps: false } }),
  listCredits: () => ({}),
  makeNotificationSecret: () => ({}),
  removeNotificationSecret: () => ({}),
  createAccount: () => ({ body: { name: 'Brightwater Media' } }),
  listAccounts: () => ({}),
  readAccount: (made) => at(made.get('createAccount').id),
  changeAccount: (made) => ({ ...at(made.get('createAccount').id), body: { unlimited: false } }),
  grantCredits: (made) => ({ ...at(made.get('createAccount').id), body: { amount: 500, note: 'As agreed' } }),
  createKey: () => ({ body: { name: 'Dashboard', role: 'editor' } }),
  listKeys: () => ({}),
  updateKey: (made) => ({ ...at(made.get('createKey').id), body: { name: 'The dashboard' } }),
  rotateKey: (made) => ({ ...at(made.get('createKey').id), body: { overlap_hours: 48 } }),
  revokeKey: (made) => at(made.get('createKey').id),
  beginSession: () => ({}),
  getSession: () => ({}),
  endSession: () => ({ query: '?everywhere=true' }),
  connectSite: () => ({ body: { id, url: wordpress().url, labels: ['tides'], ...credentials() } }),
  listSites: () => ({ query: '?label=tides' }),
  listLabels: () => ({}),
  countSiteStates: () => ({}),
  exportSites: () => ({}),
  getSite: () => at(id),
  updateSite: () => ({ ...at(id), body: { name: 'Tides weekly' } }),
  checkSite: () => at(id),
  previewDocument: () => ({ ...at(id), body: document() }),
  getSiteChoices: () => at(id),
  getSiteStyles: () => at(id),
  pauseSite: () => ({ ...at(id), body: { reason: 'It moves to a new host.' } }),
  resumeSite: () => at(id),
  previewMatrix: () => ({ body: { ...document(), site_ids: [id] } }),
  createImport: () =>
    text(
      `url,username,application_password\n${wordpress().url},editor,abcd efgh ijkl mnop qrst uvwx`,
      'text/csv',
    ),
  getImport: (made) => at(made.get('createImport').id),
  createBulk: () => ({
    body: { action: 'label', filter: { label: 'tides' }, parameters: { add: ['moon'] } },
  }),
  listBulk: () => ({}),
  getBulk: (made) => at(made.get('createBulk').id),
  listBulkItems: (made) => at(made.get('createBulk').id),
  cancelBulk: (made) => at(made.get('createBulk').id),
  createConnectLink: () => ({ body: { url: wordpress().url } }),
  listConnectLinks: () => ({}),
  getConnectLink: (made) => at(made.get('createConnectLink').id),
  revokeConnectLink: (made) => at(made.get('createConnectLink').id),
  createSource: () => ({ body: { name: 'generator' } }),
  listSources: () => ({}),
  getSource: (made) => at(made.get('createSource').id),
  updateSource: (made) => ({ ...at(made.get('createSource').id), body: { name: 'The generator' } }),
  sendWebhook: (made) => ({
    path: token(made.get('createSource').data.url),
    body: completed({ siteId: id }),
    key: undefined,
  }),
  rotateSource: (made) => ({ ...at(made.get('createSource').id), body: {} }),
  backfillSource: async (_made, app) => {
    const upstream = { upstream_base_url: 'https://upstream.example', upstream_api_key: 'its key' }
    const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'upstream', ...upstream } })
    return { ...at(body.id), body: { document_ids: ['0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10'] } }
  },
  listBackfill: (made) => at(made.get('createSource').id),
  openStream: () => ({}),
  listEvents: () => ({}),
  getEvent: (made) => at(made.get('sendWebhook').event_id),
  createDeliveries: () => ({
    body: { id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10', site_ids: [id], ...document() },
  }),
  listDeliveries: () => ({}),
  countDeliveries: () => ({}),
  countDeliveriesByHour: () => ({
    query: `?created_from=${new Date(Date.now() - 86_400_000).toISOString()}`,
  }),
  listCauses: () => ({}),
  exportDeliveries: () => ({}),
  getDelivery: (made) => at(made.get('createDeliveries').data[0].id),
  getDeliveryEdits: async (made, app) => {
    const { id: uuid } = made.get('createDeliveries').data[0]
    const title = 'Why the tide comes twice a day'
    const post = await rest<{ id: number }>('editor', 'POST', '/wp/v2/posts', { title, content: 'The moon.' })
    const left = { title, content: 'The moon pulls.', excerpt: '' }
    await app.database.pool.query(
      "UPDATE delivery SET post_id = $2, post_type = 'posts', answered = $3 WHERE id = $1",
      [uuid, post.id, left],
    )
    return at(uuid)
  },
  withdrawDelivery: (made) => ({ ...at(made.get('createDeliveries').data[0].id), body: { to: 'draft' } }),
  async undoDelivery(made, app) {
    const { id: uuid } = made.get('createDeliveries').data[0]
    await app.database.pool.query(
      `UPDATE delivery SET status = 'delivered', due_at = NULL, undo_until = now() + interval '1 hour',
         replaced = jsonb_build_object('eventId', wanted_event_id) WHERE id = $1`,
      [uuid],
    )
    return at(uuid)
  },
  retryDelivery: (made) => ({ ...at(made.get('createDeliveries').data[0].id), body: {} }),
  cancelDelivery: (made) => at(made.get('createDeliveries').data[0].id),
  deliverEvent: (made) => ({ ...at(made.get('createDeliveries').id), body: { site_ids: [id] } }),
  createDocument: () => ({ body: { prompt: 'Why the tide comes twice a day' } }),
  getDocumentStatus: (made) => at(made.get('createDocument').id),
  createAudio: () => ({ body: { text: 'The sea rises and falls.' } }),
  getAudioStatus: (made) => at(made.get('createAudio').id),
  createImage: () => ({ body: { prompt: 'A harbour at low water' } }),
  getImageStatus: (made) => at(made.get('createImage').id),
  priceDocument: () => ({ body: { prompt: 'Why the tide comes twice a day', text: { length: 800 } } }),
  priceAudio: () => ({ body: { text: 'The sea rises and falls.' } }),
  priceImage: () => ({ body: { prompt: 'A harbour at low water' } }),
  listJobs: () => ({}),
  getJob: (made) => at(made.get('createDocument').id),
  cancelJob: (made) => at(made.get('createAudio').id),
  resumeJob: async (made, app) => {
    const { id: uuid } = made.get('createDocument')
    await leaveOutNarration(app.database.pool, uuid)
    return at(uuid)
  },
  listNotifications: async (made, app) => {
    await storeNotification(app.database.pool, {
      accountId: app.owner.id,
      event: 'image.completed',
      subjectId: made.get('createImage').id,
      url: 'https://receiver.example/',
      body: '{}',
    })
    return {}
  },
  getNotification: (made) => at(made.get('listNotifications').data[0].id),
  repeatNotification: (made) => at(made.get('listNotifications').data[0].id),
  createReceiver: () => ({
    body: { kind: 'webhook', name: 'Dashboard', url: 'https://receiver.example/galley' },
  }),
  listReceivers: () => ({}),
  getReceiver: (made) => at(made.get('createReceiver').id),
  updateReceiver: (made) => ({ ...at(made.get('createReceiver').id), body: { name: 'The dashboard' } }),
  rotateReceiver: (made) => ({ ...at(made.get('createReceiver').id), body: {} }),
  testReceiver: (made) => ({ ...at(made.get('createReceiver').id), body: {} }),
  removeReceiver: (made) => at(made.get('createReceiver').id),
  readStyles: (made) => ({
    path: { name: made.get('getSiteStyles').data.path.split('/').pop() as string },
    key: undefined,
  }),
  readFile: async (_made, app) => {
    const body = Buffer.from('picture')
    const file = { accountId: app.owner.id, type: 'image/png', extension: 'png', body, served: true }
    const { url } = await app.storage.keep(file as Parameters<typeof app.storage.keep>[0])
    return { path: { name: new URL(url as string).pathname.split('/').pop() as string }, key: undefined }
  },
  listAuditEntries: () => ({}),
  exportAuditEntries: () => ({}),
  removeSource: async (_made, app) =>
    at((await app.ask('POST', '/v1/sources', { body: { name: 'other' } })).body.id),
  removeSite: () => at(id),
}
