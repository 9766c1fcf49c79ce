import { randomUUID } from 'node:crypto'
import { type FileServer, png, serveFiles } from '../../support/files.ts'
import { completed } from '../../support/webhooks.ts'

/** One document of a run, with all by which it is found on the site. */
export interface FaultDocument {
  id: string
  /** Of the post, and of nothing else on the site. */
  title: string
  /** Alternative text of its one picture. */
  alt: string
  /** Text of the post that no other version of it has. */
  says: string
  body: Record<string, unknown> & { id: string }
}

/** Makes documents whose posts and pictures all carry the word of the run. */
export interface DocumentMaker {
  word: string
  make(
    siteId: string,
    requested?: {
      post_status?: 'draft' | 'publish'
      version?: string
      of?: FaultDocument
      /** Beside “Uncategorized”. */
      categories?: string[]
      /** Default: with one. */
      picture?: boolean
      /** Fields of the post, beside its categories. */
      fields?: object
    },
  ): FaultDocument
  close(): Promise<void>
}

const MOST_DOCUMENTS = 5_000

export async function startDocuments(): Promise<DocumentMaker> {
  const word = `fault${randomUUID().slice(0, 8)}`
  const picture = { type: 'image/png', bytes: png(8, 8, [10, 90, 160]) }
  const names = Array.from({ length: MOST_DOCUMENTS }, (_, n) => [`/${n}.png`, picture])
  const files: FileServer = await serveFiles(Object.fromEntries(names))
  let made = 0
  return {
    word,
    make(
      siteId,
      { post_status = 'draft', version = 'first', of, categories = [], picture: shown = true, fields } = {},
    ) {
      const number = of ? Number(of.title.split(' ')[1]) : made++
      const title = `${word} ${number}`
      const alt = `picture ${title}`
      const says = `The ${version} version of ${title}`
      const body = completed({
        id: of?.id ?? randomUUID(),
        siteId,
        title,
        slug: `${word}-${number}`,
        description: `What ${title} is about, in its ${version} version.`,
        post_status,
        categories: ['Uncategorized', ...categories],
        ...(fields && { metadata: fields }),
        blocks: [
          {
            type: 'paragraph',
            content: [{ type: 'text', text: `${says}, with 1 < 2 & [x].` }],
          },
          ...(shown
            ? [{ type: 'image', url: `${files.url}/${number}.png`, alt, image_type: 'photograph' }]
            : []),
        ],
      })
      return { id: body.id, title, alt, says, body }
    },
    close: () => files.close(),
  }
}
