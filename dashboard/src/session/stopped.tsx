import { __ } from '@wordpress/i18n'
import { Component, type ReactNode } from 'react'

/** Says so where the page itself could not be loaded or has stopped, so that nobody looks at nothing. */
export class Stopped extends Component<{ children: ReactNode }, { stopped: boolean }> {
  override state = { stopped: false }

  static getDerivedStateFromError = () => ({ stopped: true })

  override render() {
    if (!this.state.stopped) return this.props.children
    return (
      <main className="sign-in">
        <div className="sign-in-card" role="alert">
          <h1>{__('The page could not be loaded', 'galley')}</h1>
          <p>{__('There may be a newer version of it, or the network is down.', 'galley')}</p>
          <button type="button" className="sign-in-button" onClick={() => location.reload()}>
            {__('Load it again', 'galley')}
          </button>
        </div>
      </main>
    )
  }
}
