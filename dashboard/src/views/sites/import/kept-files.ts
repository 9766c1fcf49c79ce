import { csvLine } from '../../../../../src/lib/csv.ts'
import { formatLabels } from '../../../../../src/lib/label-list.ts'
import type { ImportLine } from '../../../api/client.ts'

/**
 * The files that were imported from this page, by import, with their passwords: in the memory of this tab alone, so that lines that
 * failed can be corrected and sent again. Galley itself keeps no password of a line that was tried.
 */
const files = new Map<string, string>()

export const keepFile = (id: string, csv: string): void => void files.set(id, csv)

export const isFileKept = (id: string): boolean => files.has(id)

const COLUMNS = ['url', 'username', 'application_password', 'name', 'labels', 'owner_email', 'id'] as const

/** A file of these lines, as they were written; without their passwords where the page no longer has them. */
export function fileOf(id: string, lines: readonly ImportLine[]): string {
  const file = files.get(id)
  const written = file === undefined ? null : linesOf(file, lines)
  return written ?? [csvLine(COLUMNS), ...lines.map(csvOf)].join('')
}

function linesOf(file: string, lines: readonly ImportLine[]): string | null {
  const all = file.split(/\r\n|\n|\r/)
  // A cell of several lines.
  if (all.some((line) => line.split('"').length % 2 === 0)) return null
  const head = all.slice(0, /^\uFEFF?sep=/i.test(file) ? 2 : 1)
  return `${[...head, ...lines.map(({ line }) => all[line - 1])].join('\n')}\n`
}

const csvOf = ({ site = {}, labels = [] }: ImportLine): string =>
  csvLine(COLUMNS.map((column) => (column === 'labels' ? formatLabels(labels) : site[column])))
