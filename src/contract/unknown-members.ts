import type { Warning } from '../errors.ts'
import { excerpt } from '../lib/text.ts'
import { closestName, type Issue, unknownMemberMessage } from './issues.ts'
import { isWireObject, type WireObject } from './normalise/fields.ts'

/** Unknown members named per object. */
const MAX_NAMED = 10

const envelope = ['event', 'id', 'status', 'data', 'delivery', 'error']
const ofDelivery = ['id', 'post_status', 'metadata']
const ofMetadata = ['categories', 'tags']
const ofData = ['title', 'description', 'featured_image', 'content', 'audio', 'audio_url', 'slug']
const ofContent = ['type', 'version', 'meta', 'featured_image', 'audio', 'audio_url', 'content']
const ofMeta = ['title', 'slug', 'description']

/** Members in the wrong place, and where they belong. */
const homes: Readonly<Record<string, string>> = {
  site_id: 'delivery.id',
  post_status: 'delivery.post_status',
  metadata: 'delivery.metadata',
  categories: 'delivery.metadata.categories',
  tags: 'delivery.metadata.tags',
}

export const toWarnings = (ignored: readonly Issue[]): Warning[] =>
  ignored.map(({ path, message }) => ({
    code: 'member_unknown',
    message: `The webhook's ${path}: ${message}.`,
  }))

/**
 * Lists what a webhook or preview asks for that Galley ignores, each with its probable meaning. Every unknown member of
 * `delivery` is named. Elsewhere, where senders add their own, only misspelled or misplaced names are.
 */
export function unknownMembers(body: unknown): Issue[] {
  if (!isWireObject(body)) return []
  const { data, delivery } = body
  const metadata = isWireObject(delivery) ? delivery.metadata : undefined
  const content = isWireObject(data) ? data.content : undefined
  const meta = isWireObject(content) ? content.meta : undefined
  return [
    ...nearly('', body, envelope),
    ...misplaced('', body),
    ...all('delivery', delivery, ofDelivery),
    ...all('delivery.metadata', metadata, ofMetadata),
    ...nearly('data', data, ofData),
    ...nearly('data.content', content, ofContent),
    ...nearly('data.content.meta', meta, ofMeta),
  ]
}

const unknownNames = (wire: WireObject, known: readonly string[]): string[] =>
  Object.keys(wire).filter((name) => !known.includes(name))

const at = (path: string, name: string): string => {
  const shown = excerpt(name, 60)
  return path === '' ? shown : `${path}.${shown}`
}

const belongsElsewhere = (home: string) => `is not read here: it belongs in ${home}`

function all(path: string, wire: unknown, known: readonly string[]): Issue[] {
  if (!isWireObject(wire)) return []
  return unknownNames(wire, known)
    .slice(0, MAX_NAMED)
    .map((name) => {
      const home = Object.hasOwn(homes, name) ? homes[name] : undefined
      return {
        path: at(path, name),
        message: home === undefined ? unknownMemberMessage(name, known) : belongsElsewhere(home),
      }
    })
}

/** A known name that is present is not suggested again: what resembles it is the sender's own. */
function nearly(path: string, wire: unknown, known: readonly string[]): Issue[] {
  if (!isWireObject(wire)) return []
  const open = known.filter((name) => wire[name] === undefined || wire[name] === null)
  return unknownNames(wire, known)
    .slice(0, 10 * MAX_NAMED)
    .filter((name) => closestName(name, open) !== undefined)
    .slice(0, MAX_NAMED)
    .map((name) => ({ path: at(path, name), message: unknownMemberMessage(name, open) }))
}

const misplaced = (path: string, wire: WireObject): Issue[] =>
  Object.entries(homes)
    .filter(([name]) => wire[name] !== undefined && wire[name] !== null)
    .map(([name, home]) => ({ path: at(path, name), message: belongsElsewhere(home) }))
