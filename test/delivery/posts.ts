import type { FaultDocument } from '../faults/stage/documents.ts'
import { type RestItem, rest } from '../support/wordpress/index.ts'
import type { DeliveryStage } from './stage.ts'

/** A post as WordPress itself has it. */
export const read = (id: number | undefined): Promise<RestItem> =>
  rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)

/** What a person does to a post, past Galley. */
export const edit = (id: number | undefined, fields: object): Promise<RestItem> =>
  rest('administrator', 'POST', `/wp/v2/posts/${id}?context=edit`, fields)

export const contentOf = async (id: number | undefined): Promise<string> =>
  ((await read(id)).content as { raw: string }).raw

/** The requests that the first delivery of a new document begins with; either may arrive first. */
export const SIDE_BY_SIDE = ['GET /wp/v2/pages', 'POST /wp/v2/posts']

export const withSortedBeginning = ([one = '', other = '', ...more]: string[]): string[] => [
  ...[one, other].sort(),
  ...more,
]

/** Delivers a first version, and makes the later ones. */
export async function deliverFirst(
  stage: DeliveryStage,
  siteId: string,
  requested: Parameters<DeliveryStage['documents']['make']>[1] = {},
) {
  const document = stage.documents.make(siteId, requested)
  const { post, id } = await stage.deliver(document)
  const next = (version: string, more = {}): FaultDocument =>
    stage.documents.make(siteId, { ...requested, version, of: document, ...more })
  return { document, post, deliveryId: id, next }
}

/** Another version that has these fields of `data` and `delivery.metadata` too. */
export const withMore = (document: FaultDocument, data: object, metadata: object = {}): FaultDocument => {
  const { data: plain, delivery } = document.body as {
    data: object
    delivery: { metadata: object }
  } & FaultDocument['body']
  return {
    ...document,
    body: {
      ...document.body,
      data: { ...plain, ...data },
      delivery: { ...delivery, metadata: { ...delivery.metadata, ...metadata } },
    },
  }
}

/** Of the pictures that are served, one that no document shows. */
export function otherPicture({ body }: FaultDocument): string {
  const { content } = (body as unknown as { data: { content: { content: { url?: string }[] } } }).data
  return content.content.find(({ url }) => url)?.url?.replace(/\d+\.png/, '4999.png') as string
}
