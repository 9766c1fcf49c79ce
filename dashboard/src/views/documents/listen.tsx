import { __ } from '@wordpress/i18n'
import type { AudioResult } from '../../api/client.ts'
import { ownFile } from './external-link.tsx'

/** A sound file that was made, to be listened to. */
export function Listen({ audio: { url, duration, format } }: { audio: AudioResult }) {
  const file = ownFile(url)
  return (
    <section className="g-card g-section g-listen">
      <h2>{__('Listen', 'galley')}</h2>
      {/* biome-ignore lint/a11y/useMediaCaption: what is said stands beside it, as the text that was read out */}
      <audio controls preload="metadata" src={file} aria-label={__('Listen', 'galley')} />
      <p className="g-weak">
        {duration} · {format} ·{' '}
        <a href={file} target="_blank" rel="noreferrer">
          {__('Open the file', 'galley')}
        </a>
      </p>
    </section>
  )
}
