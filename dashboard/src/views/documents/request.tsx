import { __ } from '@wordpress/i18n'
import type { JobInDetail } from '../../api/client.ts'

/** What was asked for: the words, and all the choices. */
export function Request({ job: { request } }: { job: JobInDetail }) {
  const { prompt, text, ...choices } = request
  const words = typeof prompt === 'string' ? prompt : typeof text === 'string' ? text : ''
  return (
    <section className="g-card g-section g-request">
      <h2>{__('What was asked for', 'galley')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled with the keyboard too */}
      <p tabIndex={0}>{words}</p>
      <details>
        <summary>{__('All options', 'galley')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard too */}
        <pre dir="ltr" tabIndex={0}>
          {JSON.stringify({ ...choices, ...(typeof text !== 'string' && { text }) }, null, 2)}
        </pre>
      </details>
    </section>
  )
}
