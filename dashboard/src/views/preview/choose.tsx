import { __ } from '@wordpress/i18n'
import { useEffect, useId, useRef, useState } from 'react'
import type { Given } from './document.ts'

interface ChooseProps {
  given: Given | undefined
  /** Why there is no document. */
  mistake: string | undefined
  onFile(file: File): void
  /** Whether those that came are shown, to take one of them. */
  past: boolean
  onPast(): void
}

/** A file, chosen here or dropped anywhere. */
export function Choose({ given, mistake, onFile, past, onPast }: ChooseProps) {
  const id = useId()
  const over = useDropped(onFile)
  return (
    <section className={`g-card g-section g-drop ${over ? 'over' : ''}`} aria-labelledby={`${id}-title`}>
      <div>
        <h2 id={`${id}-title`}>{given ? given.name : __('Drop a document here', 'galley')}</h2>
        <p className="g-weak" id={`${id}-help`}>
          {given
            ? titleOf(given)
            : __('A JSON file: a webhook as it is sent, or the document in it.', 'galley')}
        </p>
      </div>
      <div className="g-actions">
        <label className="g-button" htmlFor={id}>
          {given ? __('Choose another file', 'galley') : __('Choose a file', 'galley')}
        </label>
        <input
          id={id}
          className="hidden-text"
          type="file"
          accept=".json,application/json"
          aria-describedby={`${id}-help`}
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) onFile(file)
            // The same file, changed meanwhile, can be chosen again.
            target.value = ''
          }}
        />
        <button type="button" className="g-button" aria-expanded={past} onClick={onPast}>
          {__('Use one you have received', 'galley')}
        </button>
      </div>
      {mistake && (
        <p className="g-field-mistake" role="alert">
          {mistake}
        </p>
      )}
    </section>
  )
}

/** As far as one can say it without Galley. */
function titleOf({ data: { title, content } }: Given): string {
  const found: unknown = title ?? content?.meta?.title
  return typeof found === 'string' ? found : __('(no title)', 'galley')
}

/** Takes a file that is dropped anywhere on the page, which a browser would open instead. @returns whether one hovers */
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
