import { __, sprintf } from '@wordpress/i18n'
import type { Document, EventWithBody, Operations } from '../../api/client.ts'
import { uuid } from '../../app/uuid.ts'

/** The `delivery` of a webhook, without the site. */
export type Wanted = NonNullable<Operations['createDeliveries']['body']['delivery']>

/** A document from a file or an event. */
export interface Given {
  /** Different for each document. */
  key: string
  /** The name of the file or event. */
  name: string
  /** The document's id, or a new one. */
  id: string
  /** The content, which Galley parses. */
  data: Document
  delivery: Wanted
  /** The id of the named site. */
  siteId: string | undefined
}

/** The text is not a document; the message says why. */
export class NoDocument extends Error {
  override name = 'NoDocument'
}

/** The limit of a file, in bytes. Galley's own is lower and has a message; this one protects the browser. */
const MOST_BYTES = 64 * 1024 * 1024

/** @throws NoDocument */
export async function readFile(file: File): Promise<Given> {
  const { name, size } = file
  if (size > MOST_BYTES)
    // translators: %s: the name of a file
    throw new NoDocument(sprintf(__('%s is too large to be a document.', 'galley'), name))
  const text = await file.text().catch(() => {
    // translators: %s: the name of a file
    throw new NoDocument(sprintf(__('%s cannot be read.', 'galley'), name))
  })
  return readText(name, text)
}

/** @throws NoDocument */
export function readEvent({ id, body }: EventWithBody): Given {
  if (body === null) throw new NoDocument(__('What was received is no longer kept: it is too old.', 'galley'))
  // translators: %s: an id
  return readText(sprintf(__('Event %s', 'galley'), id), body)
}

/**
 * Reads a webhook, its `data`, or the `content` of that.
 *
 * @throws NoDocument when it is none of them
 */
function readText(name: string, text: string): Given {
  const json = parsed(name, text)
  const data = dataIn(json)
  if (data === undefined)
    throw new NoDocument(
      sprintf(
        // translators: %s: the name of a file
        __('There is no document in %s: it has neither “data” nor “content”.', 'galley'),
        name,
      ),
    )
  const { id, delivery } = json as { id?: unknown; delivery?: unknown }
  const { id: siteId, ...wanted } = isObject(delivery) ? delivery : {}
  return {
    key: uuid(),
    name,
    id: isUuid(id) ? id : uuid(),
    data: data as unknown as Document,
    delivery: wanted as Wanted,
    siteId: isUuid(siteId) ? siteId : undefined,
  }
}

function parsed(name: string, text: string): unknown {
  try {
    const json: unknown = JSON.parse(text)
    // Some browsers can parse deeply nested JSON that they cannot serialise.
    JSON.stringify(json)
    return json
  } catch (error) {
    throw new NoDocument(
      error instanceof SyntaxError
        ? // translators: %s: the name of a file
          sprintf(__('%s is no JSON. A document is sent as JSON.', 'galley'), name)
        : // translators: %s: the name of a file
          sprintf(__('%s nests too deeply.', 'galley'), name),
      { cause: error },
    )
  }
}

function dataIn(json: unknown): Record<string, unknown> | undefined {
  if (!isObject(json)) return undefined
  if (isObject(json.data)) return json.data
  if (isObject(json.content)) return json
  return Array.isArray(json.content) ? { content: json } : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
