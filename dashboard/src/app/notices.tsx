import { __ } from '@wordpress/i18n'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'

/** A short message at the lower edge: what was done, and how to undo it. */
interface Notice {
  text: string
  tone?: 'good' | 'bad'
  action?: { label: string; run: () => void }
}

const SHOWN_MS = 8_000

/** Notices at a time. */
const MOST = 3

/** Without the oldest that is no error, where there are too many for another. */
function withRoom<One extends Notice>(all: One[]): One[] {
  if (all.length < MOST) return all
  const oldest = all.findIndex(({ tone }) => tone !== 'bad')
  return all.filter((_, place) => place !== Math.max(oldest, 0))
}

const NoticesContext = createContext<(notice: Notice) => void>(() => undefined)

/** Shows a notice for a while. Screen readers announce it. */
export const useNotice = () => useContext(NoticesContext)

export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<(Notice & { id: number })[]>([])
  const next = useRef(0)
  const close = useCallback((id: number) => setNotices((all) => all.filter((notice) => notice.id !== id)), [])
  const show = useCallback(
    (notice: Notice) => {
      const id = next.current++
      setNotices((all) => [...withRoom(all), { ...notice, id }])
      // An error stays until it is closed.
      if (notice.tone !== 'bad') setTimeout(close, SHOWN_MS, id)
    },
    [close],
  )

  return (
    <NoticesContext.Provider value={show}>
      {children}
      <div className="g-notices" role="status" aria-live="polite">
        {notices.map(({ id, text, tone, action }) => (
          <div key={id} className={`g-notice-line ${tone ?? ''}`}>
            <span>{text}</span>
            {action && (
              <button
                type="button"
                onClick={() => {
                  close(id)
                  action.run()
                }}
              >
                {action.label}
              </button>
            )}
            <button type="button" aria-label={__('Close', 'galley')} onClick={() => close(id)}>
              ×
            </button>
          </div>
        ))}
      </div>
    </NoticesContext.Provider>
  )
}
