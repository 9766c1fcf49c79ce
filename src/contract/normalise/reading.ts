import type { Warning } from '../../errors.ts'
import { LIMITS, limitError } from '../limits.ts'

/** What one reading of a document gathers on its way. */
export interface Reading {
  readonly warnings: readonly Warning[]
  /** Says what could not be understood; `where` is the block being read. */
  warn(code: string, message: string): void
  /** Names the block being read, for the warnings that follow. */
  enter(where: string): void
  /** Counts one block or list item. @throws GalleyError `document_too_many_blocks` */
  count(): void
  /** Reads the insides of a list. @throws GalleyError `document_too_deep` */
  insideList<T>(read: () => T): T
}

export function startReading(): Reading {
  const warnings: Warning[] = []
  let where = 'The document'
  let blocks = 0
  let depth = 0
  return {
    warnings,
    warn: (code, message) => warnings.push({ code, message: `${where}: ${message}` }),
    enter: (block) => {
      where = block
    },
    count: () => {
      blocks += 1
      if (blocks > LIMITS.blocks) throw limitError('document_too_many_blocks')
    },
    insideList: (read) => {
      depth += 1
      if (depth > LIMITS.listDepth) throw limitError('document_too_deep')
      const result = read()
      depth -= 1
      return result
    },
  }
}
