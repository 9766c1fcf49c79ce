import { isWire } from './fields.ts'

/** Members that name, address or style a thing and are not read by people. */
const notText =
  /^(type|kind|.*_?type|blockType|id|.*_id|url|src|href|.*_url|style|lang|language|level|class|slug|version)$/

/** Every text inside a value, in order: what is kept of something that could not be understood. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(plainText).filter(Boolean).join(' ')
  if (!isWire(value)) return ''
  return Object.entries(value)
    .filter(([name]) => !notText.test(name))
    .map(([, member]) => plainText(member))
    .filter(Boolean)
    .join(' ')
}
