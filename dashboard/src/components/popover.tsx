import './popover.css'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

interface PopoverProps {
  /** The content of the button that opens it. */
  button: ReactNode
  /** The accessible name of the button where its content is a picture. */
  label?: string
  /** Classes of the button. */
  className: string
  /** Classes of the panel. */
  panelClassName?: string
  children: ReactNode
}

/** A button with a panel of controls. Escape closes it, as do a click or the focus outside. */
export function Popover({ button, label, className, panelClassName = '', children }: PopoverProps) {
  const { open, setOpen, place, opener, panel, panelId } = usePopover()
  return (
    <div ref={place} className="g-popover-place">
      <button
        ref={opener}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-controls={open ? panelId : undefined}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div ref={panel} id={panelId} className={`g-popover ${panelClassName}`}>
          {children}
        </div>
      )}
    </div>
  )
}

export interface MenuItem {
  label: string
  /** Whether it is the current one of several; undefined where it is none of several. */
  checked?: boolean
  /** An address outside of the page, in place of `run`. */
  href?: string | undefined
  disabled?: boolean | undefined
  run(opener: HTMLElement): void
}

interface MenuProps extends Pick<PopoverProps, 'button' | 'label' | 'className'> {
  items: readonly MenuItem[]
}

/** A button with a menu, by the keyboard pattern of https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/. */
export function Menu({ button, label, className, items }: MenuProps) {
  const { open, setOpen, place, opener, panel, panelId } = usePopover()
  const [last, setLast] = useState(false)
  const lines = () => [...(panel.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it opens, and not again
  useEffect(
    () =>
      lines()
        .at(last ? -1 : 0)
        ?.focus(),
    [open],
  )

  function onButtonKey(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    setLast(event.key === 'ArrowUp')
    setOpen(true)
  }
  function onMenuKey(event: KeyboardEvent) {
    const all = lines()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all.at(next % all.length)?.focus()
  }

  return (
    <div ref={place} className="g-popover-place">
      <button
        ref={opener}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? panelId : undefined}
        onClick={() => {
          setLast(false)
          setOpen(!open)
        }}
        onKeyDown={onButtonKey}
      >
        {button}
      </button>
      {open && (
        <div ref={panel} id={panelId} role="menu" className="g-popover g-menu" onKeyDown={onMenuKey}>
          {items.map(({ label, checked, href, disabled, run }) =>
            href === undefined ? (
              <button
                key={label}
                type="button"
                {...(checked === undefined
                  ? { role: 'menuitem' }
                  : { role: 'menuitemradio', 'aria-checked': checked })}
                tabIndex={-1}
                // Not `disabled`: the arrow keys reach it, and a screen reader says why nothing happens.
                aria-disabled={disabled}
                onClick={() => {
                  if (disabled) return
                  setOpen(false)
                  opener.current?.focus()
                  run(opener.current as HTMLElement)
                }}
              >
                {label}
              </button>
            ) : (
              <a
                key={label}
                role="menuitem"
                tabIndex={-1}
                href={href}
                target="_blank"
                rel="noreferrer"
                onClick={() => setOpen(false)}
              >
                {label}
              </a>
            ),
          )}
        </div>
      )}
    </div>
  )
}

function usePopover() {
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const panelId = useId()
  useEffect(() => {
    if (!open) return
    const onOutside = ({ target }: Event) => {
      if (!place.current?.contains(target as Node)) setOpen(false)
    }
    const onKey = ({ key }: globalThis.KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      opener.current?.focus()
    }
    document.addEventListener('pointerdown', onOutside)
    document.addEventListener('focusin', onOutside)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onOutside)
      document.removeEventListener('focusin', onOutside)
      document.removeEventListener('keydown', onKey)
    }
  }, [open])
  useLayoutEffect(() => {
    if (open) keepInWindow(panel, opener)
  }, [open])
  return { open, setOpen, place, opener, panel, panelId }
}

/** Pixels between a panel and the window's edge, and between it and its button. */
const MARGIN = 8
const GAP = 4

/** Moves a panel into the window: sideways, and above its button when there is no room below. */
function keepInWindow(panel: RefObject<HTMLElement>, opener: RefObject<HTMLElement>): void {
  if (panel.current === null || opener.current === null) return
  const { left, right, bottom, height } = panel.current.getBoundingClientRect()
  const button = opener.current.getBoundingClientRect()
  const tooFarRight = right - (document.documentElement.clientWidth - MARGIN)
  const x = left < MARGIN ? MARGIN - left : -Math.max(0, tooFarRight)
  const fits = bottom <= innerHeight || button.top < height + GAP
  panel.current.style.translate = `${x}px ${fits ? 0 : -(height + button.height + 2 * GAP)}px`
}
