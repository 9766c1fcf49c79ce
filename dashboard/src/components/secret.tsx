import { __ } from '@wordpress/i18n'
import { useRef, useState } from 'react'

interface SecretProps {
  value: string
  label: string
  /** The label is seen too, where there are several. */
  labelled?: boolean
}

/** Something that is shown only once, with a button that copies it. */
export function Secret({ value, label, labelled = false }: SecretProps) {
  const [copied, setCopied] = useState(false)
  const [byHand, setByHand] = useState(false)
  const shown = useRef<HTMLElement>(null)

  async function copy() {
    if (shown.current) getSelection()?.selectAllChildren(shown.current)
    if (!(await write(value))) {
      setByHand(true)
      return
    }
    setByHand(false)
    setCopied(true)
    setTimeout(setCopied, 3_000, false)
  }

  return (
    <div className="g-secret">
      <span className={labelled ? 'g-secret-label' : 'hidden-text'}>{label}</span>
      <code dir="ltr" ref={shown}>
        {value}
      </code>
      <button
        type="button"
        className="g-button"
        aria-label={`${copied ? __('Copied', 'galley') : __('Copy', 'galley')}: ${label}`}
        onClick={() => void copy()}
      >
        {copied ? __('Copied', 'galley') : __('Copy', 'galley')}
      </button>
      {byHand && (
        <p className="g-weak" role="status">
          {__(
            'This browser does not let the page copy: the text is selected, so that you can copy it with the keyboard.',
            'galley',
          )}
        </p>
      )}
    </div>
  )
}

/**
 * Copies a text; what is marked is the same one. Pages without https have no `navigator.clipboard`; where it is not there or
 * refuses, the older way is left, which every browser still has.
 *
 * @returns whether it was copied
 */
async function write(text: string): Promise<boolean> {
  const written = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  return written || document.execCommand('copy')
}
