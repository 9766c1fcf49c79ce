import { useEffect, useState } from 'react'
import { parseLabels } from '../../../../src/lib/label-list.ts'
import { useSession } from '../../app/session-context.ts'
import { uuid } from '../../app/uuid.ts'
import { type Inputs, valuesOf } from '../../components/post-fields/inputs.ts'
import { postFieldForms } from '../../components/post-fields/table.ts'
import type { SitesAndLabels } from '../../components/site-choice.tsx'
import { type Given, textAs, type Wanted } from './document.ts'

/** All that was typed and chosen for a post. */
export interface Draft extends SitesAndLabels {
  /** The id of a document that is written here. */
  id: string
  title: string
  text: string
  format: 'markdown' | 'html'
  /** A document that was chosen or pasted, in place of the text. */
  given?: Given | undefined
  all: boolean
  /** "" is what the document asks for. */
  status: string
  categories: string
  tags: string
  /** The first public post is the original of the others. */
  namesFirst: boolean
  /** WordPress's sidebar. */
  fields: Inputs
}

const newDraft = (): Draft => ({
  ...{ id: uuid(), title: '', text: '', format: 'markdown', given: undefined },
  ...{ sites: [], labels: '', all: false, namesFirst: false, status: '', categories: '', tags: '' },
  fields: {},
})

const STORAGE_KEY = 'galley.new-post'

interface Stored {
  /** The id of the key that wrote it: nobody else sees it. */
  owner: string
  draft: Draft
}

function readStored(): Stored | undefined {
  const text = sessionStorage.getItem(STORAGE_KEY)
  return text === null ? undefined : (JSON.parse(text) as Stored)
}

/** Without the file where that is more than a browser keeps, or nests too deeply: it can be chosen again. */
function store(stored: Stored): void {
  for (const draft of [stored.draft, { ...stored.draft, given: undefined }])
    try {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...stored, draft }))
      return
    } catch (error) {
      if (!(error instanceof DOMException || error instanceof RangeError)) throw error
    }
}

/** The draft of this tab and key. It survives a reload and an expired session; a document from an address has its own. */
export function useDraft() {
  const owner = useSession().key.id
  const kept = () => {
    const stored = readStored()
    return { ...newDraft(), ...(stored?.owner === owner && stored.draft) }
  }
  const [draft, setDraft] = useState(kept)
  useEffect(() => {
    if (!draft.given?.received) store({ owner, draft })
  }, [owner, draft])
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  /** Goes back to what was written, without the document that was given. */
  const discard = () => setDraft({ ...(draft.given?.received ? kept() : draft), given: undefined })
  return { draft, change, discard }
}

/** Forgets what was sent. What was written beside a document of another kind stays. */
export function forgetDraft(id: string): void {
  const stored = readStored()
  if (stored === undefined) return
  const { draft } = stored
  if (draft.given?.id === id) store({ ...stored, draft: { ...draft, given: undefined } })
  else if (draft.id === id) sessionStorage.removeItem(STORAGE_KEY)
}

/** Whether there is something to send. */
export const isWritten = ({ given, text }: Draft): boolean => given !== undefined || text.trim() !== ''

/** The document of a draft. */
export function documentOf({ id, title, text, format, given }: Draft): Given {
  const document = given ?? textAs({ id, name: '', content: text, format })
  if (title.trim() === '') return document
  return { ...document, data: { ...document.data, title: title.trim() } }
}

/** What the draft asks of its deliveries: what is left empty is as the document says. */
export function wantedOf(draft: Draft, { delivery }: Given): Wanted {
  const { status, fields, namesFirst } = draft
  const terms = (name: 'categories' | 'tags') =>
    draft[name].trim() === '' ? {} : { [name]: parseLabels(draft[name]) }
  const metadata = {
    ...{ ...delivery.metadata, ...terms('categories'), ...terms('tags') },
    ...withMaps(delivery.metadata ?? {}, valuesOf(postFieldForms, fields)),
  }
  return {
    ...delivery,
    ...(namesFirst && { canonical: 'first' }),
    ...(status !== '' && { post_status: status as Wanted['post_status'] }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** Values over those of a document: names in its maps of terms and fields stay beside new ones. */
const withMaps = (before: Readonly<Record<string, unknown>>, values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const known = before[name]
      return [name, isMap(value) && isMap(known) ? { ...known, ...value } : value]
    }),
  )

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null
