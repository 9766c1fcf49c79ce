import { Readable } from 'node:stream'
import type { NormalisedDocument } from '../../blocks/document.ts'
import type { Semaphore } from '../../bytes/budget.ts'
import { decodeDataUrl } from '../../contract/payload.ts'
import type { FileSources } from '../../wordpress/media/download.ts'

/** Where files are found, and what those in memory count against. */
export interface BudgetedSources extends FileSources {
  files: Semaphore
}

/** The same sources, which find the files that a document brings inside itself too. */
export const withInlineFiles = (
  { inlineFiles }: Pick<NormalisedDocument, 'inlineFiles'>,
  { outbound, findStored, files }: BudgetedSources,
): FileSources => ({
  outbound,
  async findStored(address) {
    const url = inlineFiles.get(address)
    if (url === undefined) return findStored(address)
    const { type, bytes: body } = decodeDataUrl(url)
    return {
      type,
      bytes: body.length,
      open: async () => Readable.from([body]),
      async hold() {
        const lease = await files.take(body.length)
        return { body, release: () => lease.release() }
      },
    }
  },
})
