import './connect-ways.css'
import { __ } from '@wordpress/i18n'

/** Through WordPress's own approval page, with which nothing has to be copied, or with an application password. */
export type ConnectWay = 'link' | 'password'

interface ConnectWaysProps {
  way: ConnectWay
  onChange(way: ConnectWay): void
}

/** The choice of how to connect a site, or to connect it again. */
export function ConnectWays({ way, onChange }: ConnectWaysProps) {
  const ways = {
    link: __('Approve in WordPress', 'galley'),
    password: __('With an application password', 'galley'),
  }
  return (
    <fieldset className="g-actions g-ways" aria-label={__('How to connect', 'galley')}>
      {(Object.keys(ways) as ConnectWay[]).map((one) => (
        <button
          key={one}
          type="button"
          className="g-button"
          aria-pressed={way === one}
          onClick={() => onChange(one)}
        >
          {ways[one]}
        </button>
      ))}
    </fieldset>
  )
}
