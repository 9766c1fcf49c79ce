import type { Warning } from '../errors.ts'
import { excerpt } from '../text.ts'
import { LIMITS } from './limits.ts'

/** Warnings as they are found; what stands in `list` is what a person will see. */
export interface Warnings {
  readonly list: readonly Warning[]
  add(code: string, message: string): void
}

/** Keeps as many warnings as somebody reads, says of the rest how many there were, and cuts the long ones. */
export function collectWarnings(list: Warning[] = []): Warnings {
  let more = 0
  return {
    list,
    add(code, message) {
      if (list.length < LIMITS.warnings - 1) {
        list.push({ code, message: excerpt(message, LIMITS.warningLength) })
        return
      }
      more += 1
      list[LIMITS.warnings - 1] = {
        code: 'warnings_left_out',
        message: `${more} more of such warnings ${more === 1 ? 'is' : 'are'} not listed.`,
      }
    },
  }
}
