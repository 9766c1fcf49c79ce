import { createHash } from 'node:crypto'
import type { Block, Document } from '../../contract/tree.ts'

/** A file that a document shows or plays, once, however often it stands in it. */
export interface NeededFile {
  kind: 'picture' | 'audio'
  url: string
  /** The first alternative text that says something; empty for audio. */
  alt: string
  title: string
  featured: boolean
}

/** Every file of a document, the featured image first, each address once. */
export function neededFiles(document: Document): NeededFile[] {
  const files = new Map<string, NeededFile>()
  const need = (file: NeededFile) => {
    const known = files.get(file.url)
    if (known === undefined) files.set(file.url, file)
    else files.set(file.url, { ...known, alt: known.alt || file.alt, title: known.title || file.title })
  }
  const featured = document.featuredImage
  if (featured) need({ kind: 'picture', url: featured.url, alt: featured.alt, title: '', featured: true })
  for (const block of document.blocks) {
    const file = fileOf(block)
    if (file !== null) need(file)
  }
  if (document.audio)
    need({ kind: 'audio', url: document.audio.url, alt: '', title: document.title, featured: false })
  return [...files.values()]
}

function fileOf(block: Block): NeededFile | null {
  if (block.type === 'image')
    return { kind: 'picture', url: block.url, alt: block.alt, title: block.title ?? '', featured: false }
  if (block.type === 'audio') return { kind: 'audio', url: block.url, alt: '', title: '', featured: false }
  return null
}

/** The slug that marks an attachment as this document's file, whatever WordPress names the file itself. */
export const mediaMarker = (documentId: string, url: string): string =>
  `galley-${documentId}-${createHash('sha256').update(url).digest('hex').slice(0, 12)}`
