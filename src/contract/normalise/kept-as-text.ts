import type { Block } from '../tree.ts'

/** Says what becomes of a block where only text may stand: of a file, only its words can. */
export function keptAsText(type: Block['type'], place: string): string {
  if (type === 'image') return `a picture ${place} is left out, and its text is kept`
  if (type === 'audio') return `a recording ${place} is left out, and its text is kept`
  return `a ${type} ${place} is kept as its text`
}
