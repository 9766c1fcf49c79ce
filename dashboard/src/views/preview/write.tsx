import { __ } from '@wordpress/i18n'
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Area, Field, Select } from '../../components/form.tsx'
import { useNonEmptyPage } from '../../components/non-empty-page.ts'
import { Panel } from '../../components/panel.tsx'
import { searchText } from '../../components/search-text.ts'
import { QueryResult, StillSearching } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { type DeliveryPage, deliveriesQuery } from '../../data/deliveries.ts'
import { acceptedFiles, type Given, isFormatted, type Pasted, readPasted, titleOf } from './document.ts'
import type { Draft } from './draft.ts'

interface WriteProps {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  /** Takes away the document that was given. */
  onDiscard(): void
  /** Why there is no document. */
  mistake: string | undefined
  onFile(file: File): void
  /** Whether received documents are shown. */
  past: boolean
  onPast(): void
}

/** A text that is written or pasted here, or a file: chosen, or dropped anywhere. */
export function Write({ draft, onChange, onDiscard, mistake, onFile, past, onPast }: WriteProps) {
  const id = useId()
  const over = useDropped(onFile)
  usePasted((pasted) => onChange(draftOfPasted(draft, pasted)))
  const { given, title, text, format } = draft
  return (
    <section className={`g-card g-drop ${over ? 'over' : ''}`} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{given ? given.name : __('Text', 'galley')}</h2>
      <div className="g-form">
        <Field
          label={__('Title', 'galley')}
          help={__('Left empty, it is taken from the text.', 'galley')}
          value={title}
          onChange={(next) => onChange({ title: next })}
          autoComplete="off"
        />
        {given ? (
          <GivenText given={given} onChange={onChange} onDiscard={onDiscard} />
        ) : (
          <>
            <Area
              label={__('Write or paste a text', 'galley')}
              help={__(
                'Text that you paste from a word processor into the empty field keeps its formatting.',
                'galley',
              )}
              value={text}
              onChange={(next) => onChange({ text: next })}
              rows={14}
              dir="auto"
              onPaste={(event) => {
                const pasted = pastedIn(event.nativeEvent)
                if (text !== '' || !isFormatted(pasted)) return
                event.preventDefault()
                onChange(draftOfPasted(draft, pasted))
              }}
            />
            <Select
              label={__('Written in', 'galley')}
              guide="documents.md#other-formats"
              value={format}
              onChange={(next) => onChange({ format: next as Draft['format'] })}
              options={{ markdown: 'Markdown', html: 'HTML' }}
            />
          </>
        )}
      </div>
      <div className="g-actions">
        <label className="g-button" htmlFor={id}>
          {given ? __('Choose another file', 'galley') : __('Choose a file', 'galley')}
        </label>
        <input
          id={id}
          className="hidden-text"
          type="file"
          accept={acceptedFiles.join(',')}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) onFile(file)
            // The same file can be chosen again.
            target.value = ''
          }}
        />
        <Button aria-expanded={past} onClick={onPast}>
          {__('Use one you have received', 'galley')}
        </Button>
      </div>
      <p className="g-weak" id={`${id}-help`}>
        {__('Or drop a file here: Word (.docx), Markdown, HTML or a document in JSON.', 'galley')}
      </p>
      {mistake && (
        <p className="g-field-error" role="alert">
          {mistake}
        </p>
      )}
    </section>
  )
}

interface GivenTextProps extends Pick<WriteProps, 'onChange' | 'onDiscard'> {
  given: Given
}

/** A document that is not edited here. */
function GivenText({ given, onChange, onDiscard }: GivenTextProps) {
  const { words, data } = given
  return (
    <>
      <p className="g-given">{words === undefined ? titleOf(data) : excerptOf(words)}</p>
      <div className="g-actions">
        {words !== undefined && (
          <Button onClick={() => onChange({ given: undefined, text: words, format: 'markdown' })}>
            {__('Keep the words alone', 'galley')}
          </Button>
        )}
        <Button onClick={onDiscard}>
          {words === undefined ? __('Write a text instead', 'galley') : __('Remove it', 'galley')}
        </Button>
      </div>
    </>
  )
}

/** Characters of a pasted text that are shown. */
const SHOWN = 600

const excerptOf = (words: string): string =>
  words.length > SHOWN ? `${words.slice(0, SHOWN).trimEnd()}…` : words

/** A text with formats is a document; a plain one goes to what is written already. */
function draftOfPasted({ text }: Draft, pasted: Pasted): Partial<Draft> {
  if (isFormatted(pasted)) return { given: readPasted(pasted) }
  return { given: undefined, text: text.trim() === '' ? pasted.text : `${text}\n\n${pasted.text}` }
}

const pastedIn = ({ clipboardData }: ClipboardEvent): Pasted => ({
  html: clipboardData?.getData('text/html') ?? '',
  text: clipboardData?.getData('text/plain') ?? '',
})

/** Takes a text that is pasted anywhere but into a field. */
function usePasted(onPaste: (pasted: Pasted) => void): void {
  const taker = useRef(onPaste)
  taker.current = onPaste
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { target } = event
      if (target instanceof Element && target.closest('input, textarea, [contenteditable]')) return
      const pasted = pastedIn(event)
      if (pasted.text.trim() !== '') taker.current(pasted)
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [])
}

/** Takes files that are dropped anywhere on the page; a browser would open them. @returns whether a file hovers over the page */
function useDropped(onFile: (file: File) => void): boolean {
  const [over, setOver] = useState(false)
  const taker = useRef(onFile)
  taker.current = onFile
  useEffect(() => {
    const hover = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? []
      if (file === undefined) return
      event.preventDefault()
      setOver(false)
      taker.current(file)
    }
    addEventListener('dragover', hover)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', hover)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return over
}

/** Documents that are offered; for others there is the search. */
const OFFERED = 10

/** Received documents. Choosing one takes its webhook and site. */
export function ReceivedDocuments({ onTake }: { onTake(id: string): void }) {
  const [search, setSearch] = useState('')
  const sought = useDeferredValue(searchText(search))
  const [query, searching] = useNonEmptyPage<DeliveryPage>((cursor) =>
    deliveriesQuery({ limit: OFFERED, cursor, search: sought === '' ? undefined : sought }),
  )
  return (
    <Panel title={__('Documents received', 'galley')}>
      <Field
        label={__('Search for a title', 'galley')}
        type="search"
        value={search}
        onChange={setSearch}
        autoComplete="off"
      />
      {searching ? (
        <StillSearching />
      ) : (
        <QueryResult query={query}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="g-weak">
                {sought === ''
                  ? __('Nothing has arrived yet.', 'galley')
                  : __('Nothing has this title.', 'galley')}
              </p>
            ) : (
              <ul className="g-past">
                {data.map((delivery) => (
                  <li key={delivery.id}>
                    <button type="button" className="g-link" onClick={() => onTake(delivery.id)}>
                      {delivery.title ?? __('(no title)', 'galley')}
                    </button>{' '}
                    <span className="g-weak">
                      {delivery.site?.name} · <Time at={delivery.created_at} />
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </QueryResult>
      )}
    </Panel>
  )
}
