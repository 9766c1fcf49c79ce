import { excerpt } from '../../lib/text.ts'
import { redactSecrets } from '../../log/redact.ts'

/** Members that are called like secrets, whatever is in them. */
const SECRET_NAME = /pass(?:word|wd|phrase|$)|secret|token|api_?key|^key$|credential|authorization|cookie/i

const HIDDEN = '[redacted]'

/** Characters of a text, entries of a list, members of an object, and levels of both that the log keeps. */
const KEPT_LIMITS = { characters: 200, entries: 50, members: 50, levels: 4 }

/** Characters of a text that are looked through for secrets: what lies behind them is not kept. */
const MAX_SCANNED_CHARACTERS = 2_000

/** Bytes, as JSON, of all that the log keeps of one request. */
const MAX_DETAIL_BYTES = 8_000

/**
 * What was asked for as the audit log keeps it: no secret, by its name and by how it looks, and nothing long. Of a
 * document its first lines are left, of a file its length.
 */
export function auditDetails(asked: {
  params: unknown
  query: unknown
  body: unknown
}): Record<string, unknown> {
  const details = { ...members(asked.params, ['uuid']), ...members(asked.query), ...ofBody(asked.body) }
  if (Buffer.byteLength(JSON.stringify(details)) <= MAX_DETAIL_BYTES) return details
  return { members: Object.keys(details), cut: true }
}

function ofBody(body: unknown): Record<string, unknown> {
  if (typeof body === 'string') return { body_characters: body.length }
  if (Array.isArray(body)) return { body_entries: body.length }
  return members(body)
}

/** The subject of an entry stands beside its details. */
function members(part: unknown, without: string[] = []): Record<string, unknown> {
  if (typeof part !== 'object' || part === null) return {}
  return keptMembers(part as Record<string, unknown>, 0, without)
}

function kept(value: unknown, level = 0): unknown {
  // Looked through before it is cut: half a secret does not look like one.
  if (typeof value === 'string')
    return excerpt(redactSecrets(excerpt(value, MAX_SCANNED_CHARACTERS)), KEPT_LIMITS.characters)
  if (typeof value !== 'object' || value === null) return value
  if (level === KEPT_LIMITS.levels) return '…'
  if (Array.isArray(value)) {
    const first = value.slice(0, KEPT_LIMITS.entries).map((entry) => kept(entry, level + 1))
    return value.length > KEPT_LIMITS.entries
      ? [...first, `… ${value.length - KEPT_LIMITS.entries} more`]
      : first
  }
  return keptMembers(value as Record<string, unknown>, level)
}

/** A body may have hundreds of thousands of members, of which no list is made but of their names. */
function keptMembers(
  value: Readonly<Record<string, unknown>>,
  level: number,
  without: readonly string[] = [],
): Record<string, unknown> {
  const names = Object.keys(value).filter((name) => !without.includes(name))
  const first: [string, unknown][] = names.slice(0, KEPT_LIMITS.members).map((name) => {
    const member = value[name]
    const hide = SECRET_NAME.test(name) && typeof member !== 'boolean' && member !== null
    return [excerpt(name, KEPT_LIMITS.characters), hide ? HIDDEN : kept(member, level + 1)]
  })
  if (names.length > KEPT_LIMITS.members) first.push(['…', `${names.length - KEPT_LIMITS.members} more`])
  return Object.fromEntries(first)
}
