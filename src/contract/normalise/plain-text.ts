import { isWire } from './fields.ts'

/** Members that name, address or style a thing and are not read by people. */
const notText =
  /^(type|kind|.*_?type|blockType|id|.*_id|url|src|href|.*_url|style|lang|language|level|class|slug|version)$/

/** Every text inside a value, in order: what is kept of something that could not be understood. */
export function plainText(value: unknown): string {
  const texts: string[] = []
  collect(value, texts)
  return texts.join(' ')
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (value !== '') texts.push(value)
  } else if (typeof value === 'number') texts.push(String(value))
  else if (Array.isArray(value)) for (const item of value) collect(item, texts)
  else if (isWire(value)) {
    for (const [name, member] of Object.entries(value)) if (!notText.test(name)) collect(member, texts)
  }
}
