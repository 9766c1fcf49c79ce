import type { Unjudged } from '../../client/index.ts'
import type { Member } from './member.ts'

/**
 * Whether answers of a batch can be seen to belong to others: another post than was asked for, one post for two that were
 * to be made, for a new one that which another member is about, or the slug or name that somebody else asked for. Caches
 * and proxies do that; then none of them is believed.
 */
export function areMisplaced(members: Member[], answers: (Unjudged | null)[]): boolean {
  const taken = new Set(members.flatMap(({ base, id }) => (id === null ? [] : [`${base} ${id}`])))
  const asked = (field: Named) => new Set(members.map(({ body }) => textOf(body, field)))
  const names = { slug: asked('slug'), name: asked('name') }
  return members.some((member, at) => {
    const { status, json } = answers[at] ?? { status: 0, json: { found: false } as const }
    if (status < 200 || status > 299 || !json.found) return false
    const id = idOf(json.value)
    if (member.id !== null) return id !== null && id !== member.id
    if (member.method !== 'POST') return false
    const key = `${member.base} ${id}`
    if (id !== null && taken.has(key)) return true
    taken.add(key)
    return (['slug', 'name'] as const).some((field) => {
      const answer = textOf(json.value, field)
      return answer !== textOf(member.body, field) && answer !== undefined && names[field].has(answer)
    })
  })
}

type Named = 'slug' | 'name'

function textOf(value: unknown, field: Named): string | undefined {
  if (typeof value !== 'object' || value === null || !(field in value)) return undefined
  const text = (value as Record<Named, unknown>)[field]
  return typeof text === 'string' ? text : undefined
}

/** Of a post or term; what was deleted is named as `previous`. */
function idOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null
  if ('id' in value && typeof value.id === 'number') return value.id
  return 'previous' in value ? idOf(value.previous) : null
}
