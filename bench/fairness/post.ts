import { randomUUID } from 'node:crypto'
import { article } from '../support/webhook.ts'

/** Sends one new webhook. @throws unless it was accepted */
export async function post(webhook: URL, siteId: string, documentId: string = randomUUID()): Promise<void> {
  const response = await fetch(webhook, {
    method: 'POST',
    body: JSON.stringify(article({ siteId, documentId, categories: ['Harbour'], tags: ['tides'] })),
  })
  await response.arrayBuffer()
  if (response.status !== 202)
    throw new Error(`Galley answered ${response.status} to a new webhook instead of 202`)
}
