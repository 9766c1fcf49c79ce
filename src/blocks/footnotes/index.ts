import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { BlockDefinition, InlineDefinition, Members } from '../define.ts'
import type { Inline } from '../index.ts'
import { list } from '../list/index.ts'
import type { Reading } from '../read.ts'
import {
  firstMember,
  isWireObject,
  listOf,
  plainText,
  textMember,
  textNames,
  type WireObject,
  wireType,
} from '../wire.ts'

/*
 * A note is part of the running text, where its number stands: the post numbers them, and has them at its end (render.ts). Senders
 * write a note there too, or list all notes, each with an id to which the text refers.
 */

interface Footnote {
  type: 'footnote'
  /** References to one note of a list share it. */
  note: Inline[]
}

/** Listed notes to which nothing refers. */
interface Footnotes {
  type: 'footnotes'
  notes: Inline[][]
}

const idNames = 'id identifier ref footnote_id footnoteId note_id number label key'.split(' ')
const noteNames = ['note', 'footnote', 'definition', ...textNames]

interface ListedNote {
  id: string
  text: unknown
}

/** The notes of a document while it is read. */
export class NoteReading {
  readonly #inlines: Reading['inlines']
  /** By id, the entries of the document that list one, the first at the end. */
  readonly #entries = new Map<string, number[]>()
  /** By entry and id, the first that it lists. */
  readonly #listed = new Map<string, ListedNote>()
  readonly #notes = new Map<unknown, Inline[]>()
  /** The entry of the document that is being read. */
  at = 0
  #depth = 0

  constructor(inlines: Reading['inlines']) {
    this.#inlines = inlines
  }

  /** To be called for the last entry first. */
  list(notes: readonly ListedNote[], at: number): void {
    for (const note of notes) {
      if (this.#listed.has(`${at} ${note.id}`)) continue
      this.#listed.set(`${at} ${note.id}`, note)
      const entries = this.#entries.get(note.id) ?? []
      this.#entries.set(note.id, entries)
      entries.push(at)
    }
  }

  /** The note of a list that has this id, read once: of the next list, where chapters count their notes from 1. */
  refer(id: string): Inline[] | undefined {
    const entries = this.#entries.get(id) ?? []
    while (entries.length > 1 && (entries.at(-1) ?? 0) < this.at) entries.pop()
    const listed = this.#listed.get(`${entries.at(-1)} ${id}`)
    return listed && this.once(listed, listed.text)
  }

  isReferred({ id, text }: ListedNote): boolean {
    const first = this.#listed.get(`${this.at} ${id}`)
    return first !== undefined && this.#notes.has(first) && isDeepStrictEqual(first.text, text)
  }

  /** A note to which several references lead is one. */
  once(key: unknown, text: unknown): Inline[] {
    const note = this.#notes.get(key) ?? this.read(text)
    this.#notes.set(key, note)
    return note
  }

  read(text: unknown): Inline[] {
    this.#depth += 1
    const note = this.#inlines(text)
    this.#depth -= 1
    return note
  }

  /** Whether a note is being read: a note has none itself. */
  isInside(): boolean {
    return this.#depth > 0
  }
}

function idOf(written: unknown): string {
  const text = plainText(written).replace(/^[\s#[^]+/, '')
  let end = text.length
  while (end > 0 && /[\s\]]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** An item with a note as text, without what numbers it. */
const noteOf = (wire: WireObject): WireObject => ({
  ...Object.fromEntries(Object.entries(wire).filter(([name]) => !idNames.includes(name))),
  type: 'text',
  text: firstMember(wire, noteNames),
})

/** The notes of a block: strings or items in an array, or texts by their ids; or its own, where it is one note. */
function notesIn({ notes, id }: Members<'notes' | 'id'>, type: string): ListedNote[] {
  if (!listTypes.has(type)) return [{ id: idOf(id), text: notes }]
  const entries =
    isWireObject(notes) && textMember(notes) === undefined
      ? Object.entries(notes)
      : listOf(notes).map((note, index) => [String(index + 1), note] as const)
  return entries.map(([name, note]) =>
    isWireObject(note)
      ? { id: idOf(firstMember(note, idNames) ?? name), text: noteOf(note) }
      : { id: idOf(name), text: note },
  )
}

/** The notes that an entry of the document lists. A lone one has an id; without, it is a note amid a text. */
export function notesListed(entry: unknown): ListedNote[] {
  const type = wireType(entry)
  if (type === undefined || !isWireObject(entry)) return []
  if (!listTypes.has(type) && !footnotes.aliases.includes(type)) return []
  const members = { notes: firstMember(entry, footnotes.names.notes), id: firstMember(entry, idNames) }
  return listTypes.has(type) || members.id !== undefined ? notesIn(members, type) : []
}

const listTypes = new Set(['footnotes', 'endnotes', 'footnote_list', 'notes_list'])

export const footnotes: BlockDefinition<Footnotes, 'notes' | 'id'> = {
  type: 'footnotes',
  aliases: [...listTypes, 'footnote', 'footnote_definition', 'endnote'].slice(1),
  names: { notes: ['notes', 'footnotes', 'items', ...noteNames], id: idNames },
  description:
    'Notes to which the text refers, as `{"type": "footnote", "id": "…"}`. The post shows them at its end, in the order of their references; one to which nothing refers stays in a list.',
  example: { notes: [{ id: 'lunar-day', text: 'A lunar day has 24 hours and 50 minutes.' }] },
  shape: ({ inlines }) => ({
    notes: z
      .array(
        z
          .looseObject({
            id: z.string().describe('The id by which the text refers to the note.'),
            text: inlines,
          })
          .meta({
            id: 'Footnote',
            description: 'A note to which the text refers by its id.',
            examples: [{ id: 'lunar-day', text: 'A lunar day has 24 hours and 50 minutes.' }],
          }),
      )
      .describe('The notes.'),
  }),
  standsElsewhere: true,
  read: (members, reading, type) => {
    const notes = notesIn(members, type)
      .filter((note) => !reading.notes.isReferred(note))
      .map(({ text }) => reading.notes.read(text))
      .filter((note) => note.length > 0)
    for (const _ of notes) reading.count()
    return notes.length > 0 ? [{ type: 'footnotes', notes }] : []
  },
  render: {
    block: ({ notes }, context) => list.render.block(asList(notes), context),
    classic: ({ notes }, context) => list.render.classic(asList(notes), context),
  },
  parts: ({ notes }) => notes,
}

export const asList = (notes: readonly Inline[][]) => ({
  type: 'list' as const,
  ordered: true,
  items: notes.map((content) => ({ content, blocks: [] })),
})

export const footnote: InlineDefinition<Footnote> = {
  type: 'footnote',
  aliases: ['footnote_ref', 'footnote_reference', 'footnote_link', 'endnote', 'endnote_ref', 'noteref'],
  description: 'A note at the end of the post; its number stands here.',
  example: { text: 'A lunar day has 24 hours and 50 minutes.' },
  shape: ({ inlines }) => ({
    text: inlines.optional().describe('The note.'),
    id: z.string().optional().describe('Instead of the text: that of a note in `footnotes`.'),
  }),
  read: (wire, reading) => {
    const { notes } = reading
    const id = idOf(firstMember(wire, idNames))
    const listed = notes.isInside() ? undefined : notes.refer(id)
    if (listed !== undefined && listed.length > 0) return [{ type: 'footnote', note: listed }]
    const own = noteOf(wire)
    const key = id === '' ? own : `${id} ${JSON.stringify(own)}`
    const note = own.text === undefined ? [] : notes.once(key, own)
    if (note.length === 0) {
      reading.warn('inline_unknown', `no note has the id “${id}”; what refers to it stays as that`)
      return id === '' ? [] : [{ type: 'superscript', children: [{ type: 'text', text: id }] }]
    }
    if (notes.isInside()) {
      reading.warn('inline_unknown', 'a note inside a note stands in brackets')
      return [{ type: 'text', text: ' (' }, ...note, { type: 'text', text: ')' }]
    }
    reading.count()
    return [{ type: 'footnote', note }]
  },
  render: ({ note }, _html, context) => context.footnote(note),
}
