import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { useNotice } from '../../app/notices.tsx'
import { forgetAllPreferences } from '../../components/table/preferences.ts'

/** What this browser remembers, and how to be rid of it. */
export function Browser() {
  const notice = useNotice()
  const [kept, setKept] = useState(true)
  function reset() {
    const restore = forgetAllPreferences()
    setKept(false)
    notice({
      text: __('All tables are back to their defaults.', 'galley'),
      action: {
        label: __('Undo', 'galley'),
        run: () => {
          restore()
          setKept(true)
        },
      },
    })
  }
  return (
    <section className="g-card g-section g-settings">
      <h2>{__('This browser', 'galley')}</h2>
      <p className="g-weak">
        {__(
          'Columns, their order and the rows per page are remembered in this browser only. Searches and filters are in the address.',
          'galley',
        )}
      </p>
      <div>
        <button type="button" className="g-button" disabled={!kept} onClick={reset}>
          {__('Reset all tables', 'galley')}
        </button>
      </div>
    </section>
  )
}
