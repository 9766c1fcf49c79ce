import { type RefObject, useEffect } from 'react'

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex]'

/**
 * Keeps the focus where a person works. A button that is disabled or removed by its own action loses the focus, and keyboard users
 * would start at the top of the page again. A page that was hidden for a while loses it too.
 */
export function useKeepFocus(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    const main = place.current
    if (main === null) return
    /** The element that had the focus, and its ancestors from the inside out. */
    let last: HTMLElement | undefined
    let around: HTMLElement[] = []

    const focused = ({ target }: FocusEvent) => {
      last = target as HTMLElement
      around = ancestors(last, main)
    }
    // When a person moves the focus, the element that loses it is still usable.
    const left = () => queueMicrotask(() => last !== undefined && isUsable(last) && forget())
    const forget = () => {
      if (document.activeElement !== last) last = undefined
    }
    const look = () => {
      if (last === undefined || document.activeElement !== document.body) return
      if (last.isConnected) {
        if (isUsable(last)) last.focus({ preventScroll: true })
        return
      }
      const rest = around.find(({ isConnected }) => isConnected) ?? main
      const next = rest.querySelector<HTMLElement>(FOCUSABLE) ?? main
      next.focus({ preventScroll: true })
    }
    const changes = new MutationObserver(look)
    changes.observe(main, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    const page = main.closest('#page > *')
    if (page !== null) changes.observe(page, { attributeFilter: ['hidden'] })
    main.addEventListener('focusin', focused)
    main.addEventListener('focusout', left)
    return () => {
      changes.disconnect()
      main.removeEventListener('focusin', focused)
      main.removeEventListener('focusout', left)
    }
  }, [place])
}

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(':disabled') && element.getClientRects().length > 0

function ancestors(element: HTMLElement, main: HTMLElement): HTMLElement[] {
  const list: HTMLElement[] = []
  for (let one = element.parentElement; one !== null && one !== main; one = one.parentElement) list.push(one)
  return [...list, main]
}
