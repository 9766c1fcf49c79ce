import { isWireObject } from '../blocks/wire.ts'
import { scalarText } from '../lib/text.ts'
import { closestName, normalisedName } from './issues.ts'
import { postFieldNames } from './post-fields.ts'

/** Names by which senders hold a post back, wherever they stand, whatever their value says. */
const EMBARGO =
  /^(publish(at|on|after|from)|(schedul(e|ed|ing)|embargo(ed)?|golive|goeslive)(at|on|for|from|until|till|date|time|datetime)?|(do)?not(publish)?before|(hold|hidden|hide|draft|private|defer(red)?|delay(ed)?|postponed?)(un)?til|sperrfrist(bis|ende)?)$/
/** The same of a name that may mean something else: it has to be a date in the future. */
const MAYBE_EMBARGO =
  /publi[csz]|publi(er|ar|que)|pubbli|pubdate|schedul|embargo|notbefore|golive|(^|go(es)?)live|releas|visibl[ey]|availabl[ey]|launch|drop(at|date|on)|hold|hidden|hide|draft|private|defer|delay|postpon|queue|effectivefrom|effectivedate|validfrom|unlock|reveal|onlin|veroe?ff|erschein|freigab|freisch|gueltig|gultig|sperr|geplant|planifi|programm?(ad|ato|e$)|parution|miseenligne|lanza|goout|goesout|(post|send|run|start)(at|on|date|time)$/
/** A time after which something ends, or at which something else happens. */
const OTHER_TIME =
  /expir|unpubli|^depubli|ablauf|end(s|e|et)?(at|on|date|time|am)?$|deadline|event|remov|delet|archiv|modif|updat|creat|renew|review|((visibl[ey]|availabl[ey]|valid|live|onlin[ea]?|gueltig|gultig|sichtbar)(to|till?|until|thru|through|bis))$/

/** As {@link normalisedName} has them. */
const NEARLY = ['publishat', 'scheduledat', 'embargountil', 'goliveat']

/** The farthest that a local time lies behind UTC, in milliseconds. */
const MAX_ZONE_OFFSET_MS = 14 * 60 * 60 * 1000

const isSettled = (value: unknown): boolean =>
  typeof value === 'object'
    ? Object.keys(value ?? {}).length === 0
    : value === undefined || /^(|0|false|no|none|null)$/i.test(String(value).trim())

const isNo = (value: unknown): boolean => value === false || /^(false|no)$/i.test(scalarText(value))

/** Milliseconds since 1970; undefined for what is no date. Numbers below a hundred billion are seconds. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value < 1e11 ? value * 1000 : value
  if (typeof value !== 'string') return undefined
  const [, day, month, rest] = /^\s*(\d{1,2})\.(\d{1,2})\.(?=\d{4})(.*)$/.exec(value) ?? []
  const text = day === undefined ? value : `${month}/${day}/${rest}`
  const time = Date.parse(/:/.test(text) && !ZONE.test(text) ? `${text}Z` : text)
  return Number.isNaN(time) ? undefined : time
}

const ZONE = /(z|gmt|utc|[+-]\d\d:?\d\d)\s*$/i

/** A text that is a date and nothing else: JavaScript reads one in “Chapter 2030”, too. */
const isDate = (value: unknown): boolean =>
  typeof value === 'string' && /^\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4})/.test(value)

/** Where a member stands: where every date is about the post, at the head of a document, or amid what it says. */
type Place = 'post' | 'head' | 'text'

function isEmbargo(name: string, value: unknown, place: Place, now: number): boolean {
  if (isSettled(value)) return false
  const time = timeOf(value)
  const meant = withoutAccents(normalisedName(name))
  if (OTHER_TIME.test(meant)) return false
  const isSure =
    EMBARGO.test(meant) || (!MAYBE_EMBARGO.test(meant) && closestName(name, NEARLY) !== undefined)
  if (isSure) return time === undefined || time > now - MAX_ZONE_OFFSET_MS
  if (time === undefined || time <= now) return false
  if (MAYBE_EMBARGO.test(meant)) return true
  return place === 'post' ? isDate(value) : place === 'head' && /^date(gmt|time)?$/.test(meant)
}

const withoutAccents = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '')

/** The member of a document's own front matter that says that it is not to be public, or not yet. */
export const findEmbargoInFrontMatter = (
  members: Readonly<Record<string, unknown>>,
  now: Date,
): string | undefined =>
  Object.keys(members).find(
    (name) =>
      (/^draft$/i.test(name) && !isSettled(members[name])) ||
      (/^published$/i.test(name) && isNo(members[name])) ||
      isEmbargo(name, members[name], 'head', now.getTime()),
  )

const MAX_DEPTH = 4

/** Members that are looked at, and letters of a name: what has more is data, and would hold up everybody else for seconds. */
const MAX_MEMBERS = 10_000
const MAX_NAME_LENGTH = 100

/**
 * The path of a member that holds the post back, it seems, and that Galley does not read: a misspelled `publish_at`, or one in
 * the wrong place. A date that is over holds nothing back. What stands less deep is looked at first.
 * @param webhook as it was sent
 */
export function findUnreadEmbargo(webhook: unknown, now: Date): string | undefined {
  const queue: [wire: unknown, path: string[]][] = [[webhook, []]]
  let looked = 0
  for (const [wire, path] of queue) {
    if (!isWireObject(wire) || path.length > MAX_DEPTH) continue
    const place = path[0] === 'delivery' ? 'post' : 'text'
    for (const name in wire) {
      looked += 1
      if (looked > MAX_MEMBERS) return undefined
      const [value, at] = [wire[name], [...path, name]]
      if (isField(at) || name.length > MAX_NAME_LENGTH) continue
      // `publish: { at: … }` is as good as `publish_at`.
      const isOne =
        isEmbargo(name, value, place, now.getTime()) ||
        isEmbargo(at.slice(-2).join('_'), value, 'text', now.getTime())
      if (isOne) return at.join('.')
      queue.push([value, at])
    }
  }
  return undefined
}

/** A field of the post, which is read, with all that is in it. */
const isField = ([where, member, name]: readonly string[]): boolean =>
  where === 'delivery' && member === 'metadata' && postFieldNames.some((field) => field === name)
