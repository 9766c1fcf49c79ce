import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** What a button has that becomes a menu when it is pressed. */
interface LateMenuButton {
  type: 'button'
  'aria-haspopup'?: 'menu'
  'aria-expanded': false
  onClick(): void
  onKeyDown(event: KeyboardEvent): void
}

interface LateMenu {
  /** Whether the menu itself is there now, with a button of its own. */
  made: boolean
  /** Around the menu: it is opened as its button was pressed. */
  place: RefObject<HTMLDivElement>
  button: LateMenuButton
}

/** By these a menu, and no panel, opens too: at its first line, or at its last. */
const ARROWS = ['ArrowDown', 'ArrowUp']

/**
 * A menu, or a panel of controls, that is made when it is opened for the first time: until then its button alone is there, the
 * same to see and to hear. A table has one in each header and each row, each of a dozen components, and hardly one of them is ever opened.
 */
export function useLateMenu({ isMenu = true } = {}): LateMenu {
  const [pressed, setPressed] = useState<string>()
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (pressed === undefined) return
    const button = place.current?.querySelector('button')
    button?.focus()
    if (pressed === 'click') button?.click()
    else
      button?.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }))
  }, [pressed])
  return {
    made: pressed !== undefined,
    place,
    button: {
      type: 'button',
      ...(isMenu && { 'aria-haspopup': 'menu' }),
      'aria-expanded': false,
      onClick: () => setPressed('click'),
      onKeyDown(event) {
        if (!isMenu || !ARROWS.includes(event.key)) return
        event.preventDefault()
        setPressed(event.key)
      },
    },
  }
}
