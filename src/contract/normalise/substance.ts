import type { Block } from '../tree.ts'

/** Members of the tree that a reader sees something of. */
const seen: ReadonlySet<string> = new Set(['text', 'value', 'url'])

/** Whether a reader sees anything of a block: a text, a picture, a recording. */
export const hasSubstance = (block: Block): boolean => holds(block)

/** The tree is read: no deeper than a document may be. */
function holds(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(holds)
  if (typeof node !== 'object' || node === null) return false
  return Object.entries(node).some(([name, part]) =>
    typeof part === 'string' ? seen.has(name) && part.trim() !== '' : holds(part),
  )
}
