import { __ } from '@wordpress/i18n'
import { useRef, useState } from 'react'
import { Button } from './button.tsx'

interface SecretProps {
  value: string
  label: string
  /** The label is visible, for several secrets. */
  labelled?: boolean
}

/** A secret that is shown once, with a copy button. */
export function Secret({ value, label, labelled = false }: SecretProps) {
  const [copied, setCopied] = useState(false)
  const [byHand, setByHand] = useState(false)
  const shown = useRef<HTMLElement>(null)

  async function copy() {
    if (shown.current) getSelection()?.selectAllChildren(shown.current)
    if (!(await copyText(value))) {
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
      <Button
        aria-label={`${copied ? __('Copied', 'galley') : __('Copy', 'galley')}: ${label}`}
        onClick={() => void copy()}
      >
        {copied ? __('Copied', 'galley') : __('Copy', 'galley')}
      </Button>
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
 * Copies a text that is selected. `navigator.clipboard` needs https; `execCommand` is the fallback.
 *
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  const written = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  return written || document.execCommand('copy')
}

/** Secrets that were created in a view, the newest first, each until it is confirmed as saved. */
export function useSecrets<Made>() {
  const [secrets, setSecrets] = useState<readonly Made[]>([])
  return {
    secrets,
    show: (made: Made) => setSecrets((before) => [made, ...before]),
    putAway: (made: Made) => setSecrets((before) => before.filter((one) => one !== made)),
  }
}
