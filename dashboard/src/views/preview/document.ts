import { __, sprintf } from '@wordpress/i18n'
import type { EventWithBody, Operations, SentDocument } from '../../api/client.ts'
import { uuid } from '../../app/uuid.ts'

/** The `delivery` of a webhook, without the site. */
export type Wanted = NonNullable<Operations['createDeliveries']['body']['delivery']>

/** A document from a file, an event or the clipboard. */
export interface Given {
  /** The name of the file or event. */
  name: string
  /** The document's id or its sender's reference, or a new id. */
  id: string
  /** The content, which Galley parses. */
  data: SentDocument
  delivery: Wanted
  /** The id of the named site. */
  siteId: string | undefined
  /** The words alone of what was pasted with its formats. */
  words?: string
  /** It is in an event, which the address names. */
  received?: boolean
  /** Of the event: its defaults fill in what the document leaves out. */
  sourceId?: string
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
  const unreadable = () => {
    // translators: %s: the name of a file
    throw new NoDocument(sprintf(__('%s cannot be read.', 'galley'), name))
  }
  const [, ending = ''] = /\.(\w+)$/.exec(name.toLowerCase()) ?? []
  if (ending === 'docx') return readDocx(name, await file.arrayBuffer().catch(unreadable))
  const text = await file.text().catch(unreadable)
  const format = textFormats[ending]
  return format === undefined
    ? readText(name, text)
    : textAs({ name, content: text, format, more: { file_name: name } })
}

type ContentFormat = NonNullable<Wanted['content_format']>

/** How the text in a file is written, by the end of its name. */
const textFormats: Readonly<Record<string, ContentFormat>> = {
  ...{ md: 'markdown', markdown: 'markdown', txt: 'markdown' },
  ...{ html: 'html', htm: 'html' },
}

/** The ends of the names of files that are read. */
export const acceptedFiles = ['json', 'docx', ...Object.keys(textFormats)].map((ending) => `.${ending}`)

/** What is pasted. */
export interface Pasted {
  html: string
  text: string
}

/** Marks of a text with formats. Editors of code, and pages, put plain words into elements too. */
const formatted = /<(?:h[1-6]|[uo]l|table|blockquote|img|a|b|strong|i|em|u|s|su[bp])\b|class="?Mso/i

export const isFormatted = ({ html, text }: Pasted): boolean => text.trim() !== '' && formatted.test(html)

/** What was copied with its formats, as from a word processor. */
export const readPasted = ({ html, text }: Pasted): Given => ({
  ...textAs({ name: __('Pasted text', 'galley'), content: html, format: 'html' }),
  words: text,
})

/** Milliseconds after which a Word document is given up: one that was made for it unpacks for hours. */
const MOST_MS = 20_000

/** @throws NoDocument */
async function readDocx(name: string, bytes: ArrayBuffer): Promise<Given> {
  const worker = new Worker(new URL('./docx.worker.ts', import.meta.url), { type: 'module' })
  const read = await new Promise<{ html: string; warnings: unknown[] } | null>((resolve) => {
    setTimeout(resolve, MOST_MS, null)
    worker.addEventListener('message', ({ data }) => resolve(data))
    worker.addEventListener('error', () => resolve(null))
    worker.postMessage(bytes, [bytes])
  })
  worker.terminate()
  if (read === null)
    // translators: %s: the name of a file
    throw new NoDocument(sprintf(__('%s is no Word document that can be read.', 'galley'), name))
  return textAs({
    name,
    content: read.html,
    format: 'html',
    more: { file_name: name, warnings: read.warnings },
  })
}

interface Written {
  id?: string
  name: string
  content: string
  format: ContentFormat
  /** Further members of its data. */
  more?: object
}

/** A text as a document. */
export const textAs = ({ id = uuid(), name, content, format, more }: Written): Given => ({
  ...{ id, name, siteId: undefined, delivery: { content_format: format } },
  data: { content, ...more },
})

/** @throws NoDocument */
export function readEvent({ id, body, source_id: sourceId }: EventWithBody): Given {
  if (body === null) throw new NoDocument(__('What was received is no longer kept: it is too old.', 'galley'))
  // translators: %s: an id
  return { ...readText(sprintf(__('Event %s', 'galley'), id), body), received: true, sourceId }
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
    name,
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : uuid(),
    data: data as unknown as SentDocument,
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

/** The title that a document gives itself. */
export function titleOf({ title, content }: SentDocument): string | undefined {
  const found = title ?? (isObject(content) && isObject(content.meta) ? content.meta.title : undefined)
  return typeof found === 'string' ? found : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
