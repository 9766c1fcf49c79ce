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
      text: __('All tables look as they did at first.', 'galley'),
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
          'Columns, their order and how many rows a page has are remembered here, and in no other browser. What you look for stands in the address.',
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
